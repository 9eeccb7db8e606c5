#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "model/event.h"

namespace laggard {

/// The kind of events that system calls are.
inline constexpr std::string_view kSyscallKind = "syscall";

/// What stands for a number in the arguments of a call.
inline constexpr std::string_view kSignedPlace = "<d>";
inline constexpr std::string_view kUnsignedPlace = "<u>";
inline constexpr std::string_view kHexPlace = "<x>";
inline constexpr std::size_t kMostArgumentValues = 6;

/// How many of those there are, as names of files may have them, too.
[[nodiscard]] std::size_t argument_places(std::string_view arguments);

/// Adds a number as it is written in the stead of a place.
void add_number(std::uint64_t value, std::string_view place, std::string& text);

/// How what a thread did ended.
enum class SyscallEnd : std::uint8_t {
  kReturned,
  kUnfinished,  ///< It was never seen to return.
  kSignal,      ///< No call, but a signal that was delivered.
  kExit,        ///< No call, but the thread's end.
  /// No event of its own, but the mark that a call has not returned for long: `time` is that of the mark and
  /// `took` how long it had been under way. Its return, or that it is unfinished, is told later.
  kRunning,
  /// No event of its own, but the mark that nothing else had happened until then.
  kIdle,
};

/// What marks are, and no happenings.
[[nodiscard]] constexpr bool is_mark(SyscallEnd end) {
  return end == SyscallEnd::kRunning || end == SyscallEnd::kIdle;
}

/// A system call, a signal or the end of a thread (S §4), with its texts as strace writes them.
struct SyscallEvent {
  WallTime time;                 ///< When it was begun.
  std::optional<Duration> took;  ///< Until it returned, where that is known.
  std::optional<std::int64_t> lwp;
  std::string_view name;  ///< `read`, `SIGCHLD`, `exited`, `killed`.
  /// What stands between the parentheses; of a signal or an end what is said of it.
  std::string_view arguments;
  /// Numbers of the arguments, in whose stead these have a place (kSignedPlace, ...). Numbers that differ
  /// from call to call (addresses, sizes, offsets) would otherwise make of each call a text of its own, of
  /// which a recording holds a million a day.
  std::span<const std::uint64_t> values = {};
  std::string_view result;  ///< `3</etc/passwd>`, `-1 ENOENT (No such file or directory)`, `?`.
  /// Instead of `result`, for SyscallAppender: a number that is all of it.
  std::optional<std::int64_t> plain_result = std::nullopt;
  std::string_view object;  ///< The file or socket that it is about, where that was told.
  SyscallEnd end = SyscallEnd::kReturned;
  /// Counts the calls of a recording in the order in which they began; events come in that in which they
  /// ended.
  std::optional<std::uint64_t> sequence = std::nullopt;
  /// Its object was opened with O_DIRECT. Imports tell this by the call that opens it alone.
  bool is_direct = false;
  /// Events of one source with the same shape have the same name, arguments and object, so that these need
  /// not be looked up again. 0: it has none.
  std::uint32_t shape = 0;
};

/// The mark SyscallEnd::kIdle.
[[nodiscard]] SyscallEvent idle_mark(WallTime time);

/// Puts system calls into a table of the kind kSyscallKind: its name is what happened, the object the
/// subject, and `lwp`, `arguments`, `end`, `sequence`, `direct` and the result are attributes: `result` the
/// number with which it begins, `errno` the name of an error, and `returned` the whole text where it is more
/// than a number (`<x>`: the number in hexadecimal). `0` to `5` are the values of the arguments.
/// The time in the table is when the call was known: of one that returned its end. Else a reader that follows
/// a recording while it is made would pass over calls that had begun before what it has read.
class SyscallAppender {
 public:
  /// Bytes of a text; of longer ones the beginning is kept, and in the attribute `length` how long the
  /// arguments were.
  static constexpr std::size_t kMostText = 4000;

  /// \param table  outlives this.
  explicit SyscallAppender(EventTable& table) : table_(&table) {}
  /// False, and nothing is added, when the table has no more room: then another one is begun.
  [[nodiscard]] bool append(const SyscallEvent& event);

 private:
  /// An attribute, and its column once there is one: looking it up for each event would be half of the time.
  struct Attribute {
    std::string_view key;
    std::optional<std::size_t> column = std::nullopt;
  };
  struct Texts {
    std::uint32_t shape = 0;
    Word name = kNoWord;
    Word object = kNoWord;
    Word arguments = kNoWord;
  };
  /// Their words; nothing when there is no more room.
  [[nodiscard]] std::optional<Texts> texts_of(const SyscallEvent& event);
  [[nodiscard]] std::optional<std::size_t> column_of(Attribute& attribute, AttributeForm form);
  void set(Attribute& attribute, std::int64_t value);
  void set_word(Attribute& attribute, Word word);

  EventTable* table_;
  std::vector<Texts> shapes_;  ///< Those that were seen last, each where its number says.
  Attribute lwp_{"lwp"};
  Attribute end_{"end"};
  Attribute result_{"result"};
  Attribute length_{"length"};
  Attribute sequence_{"sequence"};
  Attribute direct_{"direct"};
  Attribute arguments_{"arguments"};
  Attribute returned_{"returned"};
  Attribute errno_{"errno"};
  std::array<Attribute, kMostArgumentValues> values_{{{"0"}, {"1"}, {"2"}, {"3"}, {"4"}, {"5"}}};
};

/// Reads the system calls of a table that SyscallAppender, or anybody, filled.
class SyscallRows {
 public:
  /// \param table  outlives this.
  explicit SyscallRows(const EventTable& table);

  /// With its values in their places. Its texts are valid as long as the table is, but for these arguments
  /// and for a `result` that is a number alone: until the next call.
  [[nodiscard]] SyscallEvent at(std::size_t e);
  /// The time of `at`, without its texts.
  [[nodiscard]] WallTime begun(std::size_t e) const;

 private:
  [[nodiscard]] SyscallEnd end_of(std::size_t e) const;
  void put_values(std::size_t e, SyscallEvent& call);

  const EventTable& table_;
  const AttributeColumn* lwp_;
  const AttributeColumn* arguments_;
  const AttributeColumn* end_;
  const AttributeColumn* result_;
  const AttributeColumn* returned_;
  const AttributeColumn* sequence_;
  const AttributeColumn* direct_;
  std::array<const AttributeColumn*, kMostArgumentValues> values_{};
  std::string number_;
  std::string text_;
};

}  // namespace laggard
