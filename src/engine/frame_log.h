#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace laggard::engine {

/// A log: frames of bytes, each with its length and checksums that go on from the frame's before, so that
/// a frame can neither change nor move nor get lost between others. docs/formats/frame-log.md is the format;
/// what frames hold is for those who use them to agree on.
enum class FrameKind : std::uint8_t {
  kHead = 'H',    ///< What the log is about: text.
  kRun = 'R',     ///< encode_run.
  kNotice = 'N',  ///< What was found damaged in the recording: a sentence.
  kDamage = 'D',  ///< A file of the recording of which something could not be read: its path.
  kEnd = 'E',     ///< The recording was judged to its end.
};

struct Frame {
  FrameKind kind = FrameKind::kRun;
  std::string_view payload;
};

/// Writes one; the bytes are the caller's to keep.
class FrameLogWriter {
 public:
  /// \param chain  of a log that is continued: FrameLogReader::chain where its sound part ended.
  explicit FrameLogWriter(std::optional<std::uint64_t> chain = std::nullopt);

  /// What a log begins with.
  [[nodiscard]] static std::string_view magic();
  /// The next frame's bytes.
  [[nodiscard]] std::string frame(FrameKind kind, std::string_view payload);

 private:
  std::uint64_t chain_;
};

enum class FrameLogState : std::uint8_t {
  kSound,    ///< So far.
  kTorn,     ///< The last frame is not there as a whole: its writer was killed.
  kDamaged,  ///< A frame is not as it was written, and others follow it.
  kForeign,  ///< Not a log.
  kOther,    ///< A log by another version of the format.
};

class FrameLogReader {
 public:
  /// \param bytes  outlive this and its frames.
  explicit FrameLogReader(std::string_view bytes);

  /// The next frame; nothing at the end, and where a frame is not sound.
  [[nodiscard]] std::optional<Frame> next();

  [[nodiscard]] FrameLogState state() const { return state_; }
  /// Bytes of the sound frames so far.
  [[nodiscard]] std::size_t sound() const { return at_; }
  [[nodiscard]] std::uint64_t chain() const { return chain_; }

 private:
  std::nullopt_t stop(FrameLogState state);

  std::string_view bytes_;
  std::size_t at_ = 0;
  std::uint64_t chain_;
  FrameLogState state_ = FrameLogState::kSound;
};

}  // namespace laggard::engine
