#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/time.h"

namespace laggard::collect {

/// A line that strace wrote, taken apart. Views are of the line.
struct StraceLine {
  enum class Kind : std::uint8_t {
    kCall,        ///< `read(3, …) = 5 <0.000012>`
    kUnfinished,  ///< `read(3, <unfinished ...>`, `execve("a", <pid changed to 7 ...>`
    kResumed,     ///< `<... read resumed>…) = 5 <0.000012>`
    kSignal,      ///< `--- SIGCHLD {…} ---`
    kExit,        ///< `+++ exited with 0 +++`
    kRemark,      ///< What strace says of itself, a line of a stack (-k): nothing happened.
  };
  /// How its moment is written.
  enum class Stamp : std::uint8_t {
    kNone,
    kEpoch,     ///< -ttt
    kDay,       ///< -t, -tt: since midnight, of a day that nobody names.
    kRelative,  ///< -r: since the line before.
  };
  Kind kind = Kind::kRemark;
  Stamp stamp = Stamp::kNone;
  Duration moment{};  ///< As the stamp says.
  std::optional<std::int64_t> lwp;
  std::string_view name;
  std::string_view arguments;    ///< Of what is resumed, those that were missing.
  std::string_view result;       ///< `?` where none was seen.
  std::optional<Duration> took;  ///< -T
};

/// Nothing for a line that strace does not write, with any of its options -f, -t, -tt, -ttt, -r, -T, -y, -yy,
/// -Y, -i, -n, -k, of all versions from 4.5 on.
[[nodiscard]] std::optional<StraceLine> parse_strace_line(std::string_view line);

/// Whether it is a line of the summary that -c writes instead of calls.
[[nodiscard]] bool is_strace_summary(std::string_view line);

/// The name of the file or socket that -y and -yy put behind a descriptor, where the text begins with one:
/// `3</etc/passwd>` and, relative to a folder, `AT_FDCWD</root>`; else empty.
[[nodiscard]] std::string_view object_of(std::string_view text);

}  // namespace laggard::collect
