#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "collect/record/recorder.h"

namespace laggard::cmd {

/// One line on a terminal that says how far a long piece of work is: `reading 43 % [####----] 12 s left`.
/// Silent when standard error is no terminal, and during the first second.
class Progress {
 public:
  /// \param clock  must outlive this.
  Progress(std::string_view doing, Clock& clock);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { clear(); }

  /// \param fraction  0..1
  /// \param detail    a few words behind the bar; may be empty
  void update(double fraction, std::string_view detail = {});

  /// Wipes the line, so that what is printed next stands alone.
  void clear();

 private:
  std::string doing_;
  Clock& clock_;
  MonoTime started_;
  MonoTime shown_;
  bool terminal_ = false;
  bool visible_ = false;
};

/// The same for samples that come or go: how many, how fast, and where the work is. Notices stand above it.
class SampleProgress {
 public:
  SampleProgress(std::string_view doing, Clock& clock);

  /// \param fraction  0..1
  /// \param where     the file, or the time, that is being worked on
  void update(double fraction, std::uint64_t samples, std::string_view where);
  void notice(std::string_view sentence);
  void clear() { line_.clear(); }

 private:
  Clock& clock_;
  MonoTime started_;
  Progress line_;
};

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
