#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"
#include "collect/record/recorder.h"

namespace laggard::cmd {

/// How a recording shows itself on standard error: one line that is rewritten where there is a terminal,
/// sentences above it, and one sentence at the end.
class RecordDisplay {
 public:
  /// \param out           the recording. \param refresh_size  how often to look at its size on disk.
  RecordDisplay(std::string out, Duration refresh_size);

  void say(const std::string& sentence);
  void show(const collect::RecordProgress& progress);
  /// \param lost  sample times that a full disk has cost.
  void finish(const collect::RecordProgress& progress, std::uint64_t lost);

 private:
  [[nodiscard]] std::string sentence(const collect::RecordProgress& progress) const;

  std::string out_;
  Duration refresh_size_;
  bool terminal_;
  bool line_shown_ = false;
  bool was_full_ = false;
  std::optional<Duration> shown_;
  std::optional<Duration> measured_;
  std::uint64_t bytes_ = 0;
};

}  // namespace laggard::cmd
