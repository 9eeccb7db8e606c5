#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "derive/derivation_table.h"
#include "model/event.h"
#include "model/resolver.h"
#include "model/sample_table.h"

namespace laggard::derive {

/// Turns the events of one row's kind into samples of its counters.
///
/// Time is cut into intervals of the cadence, counted from the epoch. The sample at the end T of one says
/// what the events that began before T add up to: their order does not matter. A host is sampled at T when it
/// told of any event, or mark, in [T - cadence, T): then all of its devices are, and those that no event was
/// about have the count that they had. In an interval in which it told of nothing nobody knows whether it was
/// recorded, and there is no sample; how samples that are missing are bridged is DeviceMeter's business.
///
/// Losses break the count: there is no sample in an interval that a loss touches, and the samples behind it
/// are of another boot than those before it, so that no difference reaches across.
///
/// The first interval of a host gives a count to take differences from and no more. Its last one may have
/// been recorded in part only, and is taken for whole.
class EventMeter {
 public:
  /// What waits at most: intervals of hosts, and counts of a device in one. What comes beyond it is lost.
  static constexpr std::size_t kMostWaiting = std::size_t{1} << 20;
  /// Devices that a meter begins to count by itself, or remembers that it does not count.
  static constexpr std::size_t kMostDevices = std::size_t{1} << 16;

  /// The row's views outlive this.
  EventMeter(const Derivation& row, Duration cadence);

  /// Before anything is added: counts these devices alone, of their hosts' first sample on, so that samples
  /// do not depend on where reading began. Without it a device begins with its first event.
  void count_only(std::span<const SeriesKey> devices);

  /// Of the row's kind; in any order, but late when `take` has passed it.
  void add(const EventTable& table);

  /// All events before `until` have been added: the samples up to then that were not taken before. By host,
  /// of a host in the order of time; a table per boot.
  [[nodiscard]] std::vector<SampleTable> take(WallTime until);
  /// Of everything that waits, the interval of the last event included.
  [[nodiscard]] std::vector<SampleTable> take_all() { return take(WallTime::max()); }

  /// Devices that were told of and are not counted.
  [[nodiscard]] const std::set<SeriesKey>& unknown_devices() const { return unknown_; }
  /// By host: what is in no counter.
  [[nodiscard]] const std::map<std::string, Unused>& unused() const { return unused_; }
  /// Of the events that it counts.
  [[nodiscard]] std::string_view kind() const { return row_.events; }

 private:
  /// Per device with events in an interval: what they add to each counter.
  using Interval = std::map<std::uint32_t, std::vector<std::uint64_t>>;
  struct Host {
    std::map<std::string, std::uint32_t, std::less<>> devices;  ///< Where in the totals.
    /// Per device, of each counter; nothing for a device before its first event.
    std::vector<std::vector<std::uint64_t>> totals;
    std::map<WallTime, Interval> waiting;  ///< By the interval's end.
    std::vector<TimeSpan> losses;          ///< That may touch what is not taken yet.
    WallTime sampled = WallTime::min();    ///< The last sample.
    std::uint64_t boot = 1;
  };
  /// Samples of one host and boot while they are collected: Host::totals at each of them.
  struct Rows {
    std::vector<WallTime> times;
    std::vector<std::vector<std::vector<std::uint64_t>>> totals;
  };
  class Amounts;

  std::uint32_t add_device(Host& host, const std::string& name);
  /// Of an event at that time; null, and noted, when it is late or there is no room.
  [[nodiscard]] Interval* interval_of(Host& host, const std::string& name, WallTime time);
  /// Where an event's amounts go; null when there is no room.
  [[nodiscard]] std::vector<std::uint64_t>* sums_of(Interval& interval, std::uint32_t device);
  [[nodiscard]] std::optional<std::uint32_t> device_of(Host& host, const std::string& host_name,
                                                       std::string_view name);
  void drop(Host& host, const std::string& name, WallTime time);
  [[nodiscard]] WallTime take_interval(Host& host);
  void take_host(const std::string& name, Host& host, WallTime until, std::vector<SampleTable>& out);
  [[nodiscard]] SampleTable table_of(const std::string& name, const Host& host, const Rows& rows) const;

  Derivation row_;
  Duration cadence_;
  bool any_device_ = true;
  std::map<std::string, Host> hosts_;
  WallTime taken_ = WallTime::min();  ///< Intervals that end by then.
  std::size_t waiting_ = 0;           ///< Intervals, and counts of a device in one.
  std::size_t devices_ = 0;           ///< Of all hosts.
  std::set<SeriesKey> unknown_;
  std::map<std::string, Unused> unused_;
};

}  // namespace laggard::derive
