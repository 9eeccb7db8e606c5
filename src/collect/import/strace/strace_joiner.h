#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/time.h"
#include "collect/import/strace/strace_line.h"
#include "model/syscall_event.h"

namespace laggard::collect {

/// What is known of the times of a trace beside what its lines say.
struct StraceTimes {
  Duration zone{};                  ///< East of Greenwich, of times of day (-t, -tt).
  std::optional<WallTime> begin;    ///< When it began, where lines tell no day or distances alone (-r).
  std::optional<WallTime> written;  ///< When its file was written last, which says the day.
  std::optional<std::int64_t> lwp;  ///< Of lines that name no thread.
};

/// Makes the lines of one trace into calls: joins those that were interrupted by lines of other threads, and
/// gives each its time. Calls are handed on when they return, those that never do at the end.
class StraceJoiner {
 public:
  using Take = std::function<Status(const SyscallEvent&)>;

  StraceJoiner(StraceTimes times, Take take) : times_(times), take_(std::move(take)) {}

  /// Fails when the line is none of strace's, or nobody knows when it was.
  [[nodiscard]] Status add(std::string_view text);
  [[nodiscard]] Status finish();
  /// Whether any call named the file or socket that it is about.
  [[nodiscard]] bool names_objects() const { return names_objects_; }

 private:
  struct Pending {
    WallTime begun;
    std::string name;
    std::string arguments;
  };
  using Lwp = std::optional<std::int64_t>;  ///< Nothing: lines name no thread.

  [[nodiscard]] Result<WallTime> time_of(const StraceLine& line);
  [[nodiscard]] Status hand_on(SyscallEvent event);
  [[nodiscard]] Status resume(const StraceLine& line, WallTime now, Lwp lwp);
  [[nodiscard]] Status end_thread(const StraceLine& line, WallTime now, Lwp lwp);
  [[nodiscard]] Status leave_unfinished(Lwp lwp, const Pending& pending);

  StraceTimes times_;
  Take take_;
  std::map<Lwp, Pending> pending_;
  std::optional<WallTime> midnight_;  ///< Of the day of the last time of day.
  Duration last_moment_{};
  bool any_ = false;   ///< A line that tells of something.
  bool over_ = false;  ///< What follows is a summary.
  bool names_objects_ = false;
};

}  // namespace laggard::collect
