#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "base/time.h"
#include "collect/record/recorder.h"

namespace laggard::cmd {

/// How a recording shows itself on standard error: one line that is rewritten where there is a terminal,
/// sentences above it, and one sentence at the end. Never waits for whoever reads that: a terminal that is
/// stopped, or a pipe that nobody empties, must not stop the sampling. What finds no room is left out, but
/// sentences are said when there is room again, up to a number of them.
class RecordDisplay {
 public:
  /// \param out  the recording.
  explicit RecordDisplay(std::string out);

  /// From any thread.
  void say(const std::string& sentence);
  /// Looks at the recording's size, on the thread that writes: a disk that hangs must not hold up another.
  void measure();
  void show(const collect::RecordProgress& progress);
  /// \param lost  sample times for which memory did not suffice while nothing could be written.
  void finish(const collect::RecordProgress& progress, std::uint64_t lost);

 private:
  [[nodiscard]] std::string sentence(const collect::RecordProgress& progress) const;
  void show_refusal(const std::optional<Error>& refusal);
  /// What waits to be said, and `last`, as far as there is room within the time.
  void write(std::string last, int wait_ms);

  std::string out_;
  bool terminal_;
  bool line_shown_ = false;
  std::optional<std::string> refusal_;  ///< Why nothing is written, as it was said.
  std::mutex mutex_;
  std::string unsaid_;  ///< Whole lines.
  std::optional<Duration> shown_;
  std::atomic<std::uint64_t> bytes_ = 0;
};

}  // namespace laggard::cmd
