#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "model/sample_table.h"

namespace laggard {

/// What a source holds of one device.
struct DeviceInfo {
  std::string host;
  DeviceKind kind = DeviceKind::kDisk;
  std::string device;
  std::vector<TableCounter> counters;
  WallTime first;
  WallTime last;
  std::uint64_t samples = 0;  ///< Sample times at which the device was present.
  /// Sample times among those at which it was under load. Disk: requests completed since the sample before,
  /// or in flight. Net: packets or bytes moved. Tcp: present is loaded. Gauges: any of them is not zero.
  std::uint64_t active_samples = 0;
  std::optional<Duration> interval;  ///< Median distance of sample times; nothing below two samples.
  /// Key facts that a recorder found: `by-id`, `wwn`, `model`, `size`, `rotational`, `paths`, `address`…
  std::vector<std::pair<std::string, std::string>> facts;
};

/// A stretch without samples of a host that is longer than three of its intervals.
struct Gap {
  std::string host;
  WallTime from;
  WallTime to;
  /// As far as it is known: `recorder stopped`, `disk full`, `suspended`, `clock stepped by +3600 s`,
  /// `damaged block`; else empty.
  std::string reason;
};

/// A step of a host's clock while it was recorded, as that clock showed it.
struct ClockStep {
  std::string host;
  WallTime before;     ///< Of the last sample before the step.
  WallTime after;      ///< Of the first one after it: earlier than `before` when the clock was set back.
  std::string reason;  ///< `clock stepped by -3600 s`
};
/// How the reason of a clock's step begins.
inline constexpr std::string_view kClockStepped = "clock stepped by ";

/// Everything a source holds, without the samples.
struct Inventory {
  std::vector<DeviceInfo> devices;  ///< Sorted by host, kind and device in natural order.
  std::vector<Gap> gaps;
  std::vector<ClockStep> clock_steps;  ///< By host, in order of recording.
  std::vector<std::string> notices;  ///< Streams that were skipped, damage that was found: one sentence each.
  std::vector<std::string> damaged;  ///< Files of which something recorded could not be read, sorted.
};

/// What of a source to read. Empty lists mean everything.
struct ReadRequest {
  std::optional<WallTime> from;  ///< Inclusive.
  std::optional<WallTime> to;    ///< Exclusive.
  std::vector<DeviceKind> kinds;
  std::vector<std::string> hosts;
  std::vector<std::string> counters;
  /// A source that can hands out the tables of disks in parts of at most so many sample times, those of all
  /// hosts by the time at which they begin, so that fewer samples of a host wait for the others'; 0: whole.
  std::size_t most_times = 0;
};

/// A table on its way: fetched, but not unpacked yet, so that several can be unpacked at the same time.
class PackedTable {
 public:
  virtual ~PackedTable() = default;
  /// How many cells it will have at most.
  [[nodiscard]] virtual std::size_t cells() const = 0;
  /// Does the work, on any thread.
  virtual void unpack() = 0;
  /// The table, once, when it has been unpacked; nothing when nothing is left of it. In the order of reading,
  /// on the thread that reads.
  [[nodiscard]] virtual Result<std::optional<SampleTable>> take() = 0;
};

/// Yields tables: of one host and kind in the order of recording, and over hosts by the first time of the
/// table, so that a reader that stands still on one host never has to hold all of another.
class TableReader {
 public:
  virtual ~TableReader() = default;
  /// The next table, or nothing at the end. Tables may be of any length; cells outside [from, to) are cut.
  [[nodiscard]] virtual Result<std::optional<SampleTable>> next() = 0;
  /// The same in two steps; null at the end. Do not mix with `next`.
  [[nodiscard]] virtual Result<std::unique_ptr<PackedTable>> next_packed();
};

/// Where samples come from: an archive, a Prometheus server, the simulator. Detectors know nothing more.
class SeriesSource {
 public:
  virtual ~SeriesSource() = default;
  [[nodiscard]] virtual Result<Inventory> inventory() = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<TableReader>> read(const ReadRequest& request) = 0;
  /// What was skipped or found damaged so far, in the inventory and while tables were read: one sentence
  /// each.
  [[nodiscard]] virtual std::vector<std::string> notices() const { return {}; }
  /// The files of which something recorded could not be read, as far as is known by now, sorted: what is
  /// concluded from the rest is partial.
  [[nodiscard]] virtual std::vector<std::string> damaged() const { return {}; }
};

/// Where samples go: the archive's writer, a remote-write sender, a test's list.
class TableSink {
 public:
  virtual ~TableSink() = default;
  /// On kNoSpace the sink has taken the table nevertheless: it keeps it in memory, within a bound of its own,
  /// and tries again with whatever comes next, so that a recorder just goes on. Other errors are final.
  [[nodiscard]] virtual Status append(const SampleTable& table) = 0;
  /// Facts about devices that do not change from sample to sample (see DeviceInfo::facts). A key that is not
  /// named keeps its value; an empty value says that the fact no longer holds.
  [[nodiscard]] virtual Status describe(const DeviceInfo& device) = 0;
  /// Why there are no samples in a stretch of time, or how the clock was stepped (`from` after `to` when it
  /// was set back). A sink that keeps no such notes does nothing.
  [[nodiscard]] virtual Status note_gap(const Gap& gap) {
    static_cast<void>(gap);
    return {};
  }
};

/// Samples kept in memory: what tests and short-lived analyses use in place of an archive.
class MemorySource final : public SeriesSource, public TableSink {
 public:
  [[nodiscard]] Status append(const SampleTable& table) override;
  [[nodiscard]] Status describe(const DeviceInfo& device) override;

  [[nodiscard]] Result<Inventory> inventory() override;
  [[nodiscard]] Result<std::unique_ptr<TableReader>> read(const ReadRequest& request) override;

 private:
  std::vector<SampleTable> tables_;
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> facts_;
};

/// The part of `table` that `request` asks for; without sample times when nothing is left.
[[nodiscard]] SampleTable select(const SampleTable& table, const ReadRequest& request);

}  // namespace laggard
