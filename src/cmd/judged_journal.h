#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyse/judge/tape.h"
#include "analyse/judge/tape_codec.h"
#include "base/error.h"
#include "base/fd.h"
#include "cmd/fingerprint.h"

namespace laggard::cmd {

/// What was judged of a recording, on disk as it is judged, so that a diagnosis that was killed can go on. A
/// tape (docs/formats/tape.md) that begins with the fingerprint of the recording and the options; locked
/// while it is open.
///
/// A record is written in one go and never changed. What a kill cut off in the middle is taken away when the
/// journal is opened again; anything else that is not as it was written is an error.
class JudgedJournal {
 public:
  /// Opens the journal, or begins one. Fails when it is about something else than `own`, when it is damaged,
  /// when it is no journal, and while another process has it open.
  [[nodiscard]] static Result<JudgedJournal> open(const std::filesystem::path& path, const Fingerprint& own);

  JudgedJournal(JudgedJournal&&) noexcept = default;
  JudgedJournal& operator=(JudgedJournal&&) noexcept = default;

  /// Hands out what is there, in order; call it once, before anything is added.
  /// \param progress  told 0..1 on the way.
  [[nodiscard]] Status replay(const analyse::TapeShape& shape,
                              const std::function<void(analyse::JudgedRun&)>& sink,
                              const std::function<void(double)>& progress);

  /// The last cell that was replayed or added; nothing before the first.
  [[nodiscard]] std::optional<std::int64_t> last_cell() const { return last_cell_; }
  /// The recording was judged to its end.
  [[nodiscard]] bool ended() const { return ended_; }
  /// What was found damaged in the recording up to there.
  [[nodiscard]] const std::vector<std::string>& notices() const { return notices_; }
  /// Bytes of a record that was cut off.
  [[nodiscard]] std::uint64_t cut_off() const { return cut_off_; }

  [[nodiscard]] Status add(const analyse::JudgedRun& run);
  /// Those that are not known yet; before the runs that could no longer tell of them.
  [[nodiscard]] Status add_notices(const std::vector<std::string>& notices);
  [[nodiscard]] Status end();

 private:
  JudgedJournal(std::filesystem::path path, Fd fd) : path_(std::move(path)), fd_(std::move(fd)) {}

  [[nodiscard]] Status begin(const Fingerprint& own);
  [[nodiscard]] Status check_head(std::string_view bytes, const Fingerprint& own);
  [[nodiscard]] Status take_frame(const analyse::Frame& frame, const analyse::TapeShape& shape,
                                  const std::function<void(analyse::JudgedRun&)>& sink);
  [[nodiscard]] Status cut_tail(const analyse::TapeReader& tape, std::size_t size);
  [[nodiscard]] Status write(analyse::FrameKind kind, std::string_view payload);
  [[nodiscard]] tl::unexpected<Error> damaged(std::size_t at) const;

  std::filesystem::path path_;
  Fd fd_;
  analyse::TapeWriter writer_;
  std::optional<std::int64_t> last_cell_;
  bool ended_ = false;
  std::vector<std::string> notices_;
  std::uint64_t cut_off_ = 0;
};

}  // namespace laggard::cmd
