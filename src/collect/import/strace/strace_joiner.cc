#include "collect/import/strace/strace_joiner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace laggard::collect {

namespace {

using Kind = StraceLine::Kind;
using Stamp = StraceLine::Stamp;

constexpr Duration kDay = std::chrono::hours(24);

/// The text in quotes with which the arguments begin, perhaps behind a folder: a path.
std::string_view path_of(std::string_view arguments) {
  if (arguments.starts_with("AT_FDCWD")) {
    const std::size_t comma = arguments.find(", ");
    arguments.remove_prefix(comma == std::string_view::npos ? arguments.size() : comma + 2);
  }
  if (!arguments.starts_with('"')) return {};
  const std::size_t end = arguments.find('"', 1);
  return end == std::string_view::npos ? std::string_view() : arguments.substr(1, end - 1);
}

/// What a call is about: what its descriptor is, what it opened, or the path that it names.
std::string_view object_of_call(const SyscallEvent& call) {
  if (call.end == SyscallEnd::kSignal || call.end == SyscallEnd::kExit) return {};
  const bool is_folder = call.arguments.starts_with("AT_FDCWD<");
  if (const std::string_view object = object_of(call.arguments); !object.empty() && !is_folder) return object;
  if (const std::string_view object = object_of(call.result); !object.empty()) return object;
  return path_of(call.arguments);
}

}  // namespace

Result<WallTime> StraceJoiner::time_of(const StraceLine& line) {
  switch (line.stamp) {
    case Stamp::kNone:
      return fail(ErrorCode::kBadInput, "", "has no time; run strace with -ttt");
    case Stamp::kEpoch:
      return from_unix_ns(line.moment.count());
    case Stamp::kRelative:
      if (!times_.begin) {
        return fail(ErrorCode::kBadInput, "", "tells distances alone (-r); say with --begin when it began");
      }
      // The first line's distance is from the start of strace.
      last_moment_ += line.moment;
      return *times_.begin + last_moment_;
    case Stamp::kDay:
      break;
  }
  if (!midnight_) {
    const std::optional<WallTime>& near = times_.begin ? times_.begin : times_.written;
    if (!near) return fail(ErrorCode::kBadInput, "", "tells times of no day; say with --begin when it began");
    midnight_ = floor_to(*near + times_.zone, kDay) - times_.zone;
    // Not before it began, nor later than its file.
    if (times_.begin && *midnight_ + line.moment < *near - std::chrono::seconds(1)) *midnight_ += kDay;
    if (!times_.begin && *midnight_ + line.moment > *near + std::chrono::seconds(1)) *midnight_ -= kDay;
  } else if (line.moment + kDay / 2 < last_moment_) {
    *midnight_ += kDay;
  }
  last_moment_ = line.moment;
  return *midnight_ + line.moment;
}

Status StraceJoiner::hand_on(SyscallEvent event) {
  event.object = object_of_call(event);
  names_objects_ = names_objects_ || !event.object.empty();
  return take_(event);
}

Status StraceJoiner::leave_unfinished(Lwp lwp, const Pending& pending) {
  return hand_on({.time = pending.begun,
                  .took = std::nullopt,
                  .lwp = lwp,
                  .name = pending.name,
                  .arguments = pending.arguments,
                  .result = {},
                  .object = {},
                  .end = SyscallEnd::kUnfinished});
}

Status StraceJoiner::resume(const StraceLine& line, WallTime now, Lwp lwp) {
  const auto found = pending_.extract(lwp);
  Pending pending{
      .begun = line.took ? now - *line.took : now, .name = std::string(line.name), .arguments = ""};
  if (!found.empty()) pending = std::move(found.mapped());
  pending.arguments += line.arguments;
  const bool knows_begin = !found.empty();
  const std::optional<Duration> took = line.took     ? line.took
                                       : knows_begin ? std::optional(now - pending.begun)
                                                     : std::nullopt;
  return hand_on({.time = pending.begun,
                  .took = line.result == "?" ? std::nullopt : took,
                  .lwp = lwp,
                  .name = pending.name,
                  .arguments = pending.arguments,
                  .result = line.result,
                  .object = {},
                  .end = line.result == "?" ? SyscallEnd::kUnfinished : SyscallEnd::kReturned});
}

Status StraceJoiner::end_thread(const StraceLine& line, WallTime now, Lwp lwp) {
  // Another thread has executed a program and goes on as this one.
  constexpr std::string_view kInPid = "by execve in pid ";
  const std::size_t at = line.arguments.find(kInPid);
  if (at != std::string_view::npos) {
    std::string_view digits = line.arguments.substr(at + kInPid.size());
    digits = digits.substr(0, digits.find_first_not_of("0123456789"));
    if (const auto other = to_number<std::int64_t>(digits)) {
      if (auto moved = pending_.extract(other); !moved.empty()) {
        moved.key() = lwp;
        pending_.erase(lwp);
        pending_.insert(std::move(moved));
      }
    }
  } else if (const auto found = pending_.extract(lwp); !found.empty()) {
    if (Status left = leave_unfinished(lwp, found.mapped()); !left) return left;
  }
  return hand_on({.time = now,
                  .took = std::nullopt,
                  .lwp = lwp,
                  .name = line.name,
                  .arguments = line.arguments,
                  .result = {},
                  .object = {},
                  .end = SyscallEnd::kExit});
}

Status StraceJoiner::add(std::string_view text) {
  if (over_) return {};
  if (is_strace_summary(text)) {
    over_ = any_;  // With -C it follows the calls.
    if (over_) return {};
    return fail(ErrorCode::kBadInput, "",
                "is a summary (strace -c), which has no calls; trace without -c, or with -C");
  }
  const std::optional<StraceLine> line = parse_strace_line(text);
  if (!line) return fail(ErrorCode::kBadInput, "", "is no line that strace writes");
  if (line->kind == Kind::kRemark) return {};
  Result<WallTime> now = time_of(*line);
  if (!now) return forward(now);
  any_ = true;
  const Lwp lwp = line->lwp ? line->lwp : times_.lwp;
  switch (line->kind) {
    case Kind::kUnfinished:
      if (const auto other = pending_.extract(lwp); !other.empty()) {
        if (Status left = leave_unfinished(lwp, other.mapped()); !left) return left;
      }
      pending_[lwp] = {*now, std::string(line->name), std::string(line->arguments)};
      return {};
    case Kind::kResumed:
      return resume(*line, *now, lwp);
    case Kind::kExit:
      return end_thread(*line, *now, lwp);
    case Kind::kSignal:
    case Kind::kCall:
    case Kind::kRemark:
      break;
  }
  const bool is_signal = line->kind == Kind::kSignal;
  const bool never_returned = !is_signal && line->result == "?";
  return hand_on({.time = *now,
                  .took = never_returned ? std::nullopt : line->took,
                  .lwp = lwp,
                  .name = line->name,
                  .arguments = line->arguments,
                  .result = line->result,
                  .object = {},
                  .end = is_signal        ? SyscallEnd::kSignal
                         : never_returned ? SyscallEnd::kUnfinished
                                          : SyscallEnd::kReturned});
}

Status StraceJoiner::finish() {
  for (const auto& [lwp, pending] : std::exchange(pending_, {})) {
    if (Status left = leave_unfinished(lwp, pending); !left) return left;
  }
  return {};
}

}  // namespace laggard::collect
