#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "derive/transfers.h"
#include "model/event.h"
#include "model/transfer_rules.h"

namespace laggard::derive {

/// What the system calls of a host come to, second by second: what a recording keeps of them when it does not
/// keep them all. Events of three kinds, of which the time is the begin of the second:
///
/// - kStorageCountKind: `dread`, `dwrite` and `direct-dwrite`, about the host;
/// - kMessageCountKind: `message`, about a pair of addresses; of both what Transfers tells, and its marks, so
///   that the same series follow from them as from the calls;
/// - kCallCountKind: each call by name, about the kind of object that it was for (`object_class`).
///
/// Their attributes are `calls`; `ns`, the sum of how long those took of which it is known; and of these how
/// many took less than 2^k ns and no less than 2^(k-1), as `below_2^k`, where there are any. The first and
/// the last of them are open: below 1 µs (k = 10), and 2^34 ns (17 s) or more (k = 35).
class CallCounts {
 public:
  static constexpr std::string_view kStorageCountKind = "storage-call-count";
  static constexpr std::string_view kMessageCountKind = "message-count";
  static constexpr std::string_view kCallCountKind = "syscall-count";
  static constexpr std::string_view kCalls = "calls";
  static constexpr std::string_view kNanoseconds = "ns";
  static constexpr Duration kPeriod = std::chrono::seconds(1);
  static constexpr unsigned kFirstPower = 10;
  static constexpr unsigned kLastPower = 35;

  /// What is counted between two calls of `take`, at most; of more it is told how many were not counted.
  static constexpr std::size_t kMostSums = std::size_t{1} << 16;

  /// Calls come in the order in which they returned, but for what two processors tell at a time. So where the
  /// last one is known, the seconds before this are.
  [[nodiscard]] static WallTime known_until(WallTime last_call) {
    return floor_to(last_call - std::chrono::milliseconds(100), kPeriod);
  }

  CallCounts(std::string host, TransferRules rules);

  /// System calls of the host.
  void add(const EventTable& calls);
  /// All calls that returned before `until` have been added: the seconds that have ended by then and were not
  /// taken before. A table for each kind of which there is anything, in the order of time.
  [[nodiscard]] std::vector<EventTable> take(WallTime until);
  /// Of the second of the last call, too.
  [[nodiscard]] std::vector<EventTable> take_all() { return take(WallTime::max()); }

  /// Reads and writes that were taken, by what they were of.
  struct Transferred {
    std::uint64_t storage = 0;
    std::uint64_t other_files = 0;
  };
  [[nodiscard]] const Transferred& transferred() const { return transferred_; }

 private:
  /// What it is about, and what happened.
  using Key = std::pair<std::string, std::string>;
  struct Sums {
    std::uint64_t calls = 0;
    std::uint64_t nanoseconds = 0;
    std::array<std::uint32_t, kLastPower - kFirstPower + 1> powers{};

    /// \param took  ns, or EventTable::kNoDuration
    void add(std::int64_t took);
    void append_to(EventTable& table, WallTime second, const Key& key) const;
  };
  /// Of one kind of events, by the begin of the second.
  struct Kind {
    std::string_view name;
    std::map<WallTime, std::map<Key, Sums>> seconds{};
    std::vector<Loss> losses{};
  };
  class Rows;

  /// Null: there is no room.
  [[nodiscard]] Sums* sums_of(Kind& kind, WallTime second, std::string_view subject, std::string_view what);
  void add_calls(const EventTable& calls);
  void add_transfers(const EventTable& transfers);
  void count_transfers(const Key& key, const Sums& sums);
  [[nodiscard]] EventTable table_of(Kind& kind, WallTime until);

  std::string host_;
  TransferRules rules_;
  Transfers transfers_;
  Kind storage_{.name = kStorageCountKind};
  Kind messages_{.name = kMessageCountKind};
  Kind calls_{.name = kCallCountKind};
  std::size_t sums_ = 0;
  Transferred transferred_;
  std::string boot_;
};

/// The kind of object that a call was for: `storage` as TransferRules have it, `file` for every other path,
/// `tcp`, `socket`, `pipe`, `descriptor` for anything else that has one (an epoll, a timer), and `none`.
[[nodiscard]] std::string_view object_class(std::string_view object, const TransferRules& rules);

}  // namespace laggard::derive
