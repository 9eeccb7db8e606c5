#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "cmd/fingerprint.h"
#include "engine/frame_log.h"
#include "engine/judged_run_codec.h"

namespace laggard::cmd {

/// What was judged of a recording, on disk as it is judged, so that a diagnosis that was killed can go on. A
/// log (docs/formats/frame-log.md) that begins with the fingerprint of the recording and the options; locked
/// while it is open.
///
/// A record is appended in one go, synced to the disk, and never changed. What a kill cut off in the middle
/// is taken away when the checkpoint is opened again; anything else that is not as it was written is an
/// error.
class Checkpoint {
 public:
  /// Opens the checkpoint, or begins one. Fails when it is about something else than `own`, when it is
  /// damaged, when it is no checkpoint, and while another process has it open.
  [[nodiscard]] static Result<Checkpoint> open(const std::filesystem::path& path, const Fingerprint& own);

  Checkpoint(Checkpoint&&) noexcept = default;
  Checkpoint& operator=(Checkpoint&&) noexcept = default;

  /// Hands out what is there, in order; call it once, before anything is added.
  /// \param progress  told 0..1 on the way.
  [[nodiscard]] Status replay(const engine::RunShape& shape,
                              const std::function<void(detect::JudgedRun&)>& sink,
                              const std::function<void(double)>& progress);

  /// The last cell that was replayed or added; nothing before the first.
  [[nodiscard]] std::optional<std::int64_t> last_cell() const { return last_cell_; }
  /// The recording was judged to its end.
  [[nodiscard]] bool ended() const { return ended_; }
  /// What was found damaged in the recording up to there.
  [[nodiscard]] const std::vector<std::string>& notices() const { return notices_; }
  [[nodiscard]] const std::vector<std::string>& damaged() const { return damaged_; }
  /// Bytes of a record that was cut off.
  [[nodiscard]] std::uint64_t cut_off() const { return cut_off_; }

  [[nodiscard]] Status add(const detect::JudgedRun& run);
  /// Those that are not known yet; before the runs that could no longer tell of them.
  [[nodiscard]] Status add_notices(const std::vector<std::string>& notices);
  [[nodiscard]] Status add_damaged(const std::vector<std::string>& files);
  [[nodiscard]] Status end();

 private:
  Checkpoint(std::filesystem::path path, Fd fd) : path_(std::move(path)), fd_(std::move(fd)) {}

  [[nodiscard]] Status begin(const Fingerprint& own);
  [[nodiscard]] Status check_head(std::string_view bytes, const Fingerprint& own);
  [[nodiscard]] Status take_frame(const engine::Frame& frame, const engine::RunShape& shape,
                                  const std::function<void(detect::JudgedRun&)>& sink);
  [[nodiscard]] Status cut_tail(const engine::FrameLogReader& log, std::size_t size);
  [[nodiscard]] Status append(std::string_view bytes);
  [[nodiscard]] Status write(engine::FrameKind kind, std::string_view payload);
  [[nodiscard]] tl::unexpected<Error> is_damaged(std::size_t at) const;
  [[nodiscard]] Status add_new(engine::FrameKind kind, const std::vector<std::string>& texts,
                               std::vector<std::string>& known);

  std::filesystem::path path_;
  Fd fd_;
  engine::FrameLogWriter writer_;
  std::optional<std::int64_t> last_cell_;
  bool ended_ = false;
  std::vector<std::string> notices_;
  std::vector<std::string> damaged_;
  std::uint64_t cut_off_ = 0;
};

}  // namespace laggard::cmd
