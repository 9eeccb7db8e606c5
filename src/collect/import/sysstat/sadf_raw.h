#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "collect/import/sample_collector.h"

namespace laggard::collect {

/// Times of sysstat's records. A record has the wall clock in whole seconds and the host's uptime in
/// hundredths; sar computes its rates over the uptime. So that rates computed from our times are sar's, a
/// time is
///
///   t = wall of the first record + (uptime - uptime of the first record),
///
/// which differs from the true one by a constant below one second. Once it has drifted from a record's wall
/// clock by more than two seconds (the clock was set, or slewed for long), that record becomes the new first
/// one. A record's time depends on earlier records only, so that a file that has grown is imported the same
/// way.
class SampleClock {
 public:
  struct Stamp {
    WallTime time;
    /// The boot, named by its time to two minutes: `since 2026-11-20T17:56:00Z`. It changes after the clock
    /// was stepped back, because times then repeat.
    std::string boot;
  };

  /// \param wall_s     Unix seconds.
  /// \param uptime_cs  hundredths of seconds.
  [[nodiscard]] Stamp stamp(std::int64_t wall_s, std::int64_t uptime_cs);

  /// The host or its recorder was restarted.
  void restart();

 private:
  std::optional<std::int64_t> anchor_ns_;  ///< Wall time at uptime 0.
  std::int64_t last_ns_ = 0;
  std::int64_t last_uptime_cs_ = 0;
  int steps_back_ = 0;
  std::string boot_;
};

/// Parses the output of `sadf -r -U -O debug FILE -- ACTIVITY` for one activity (docs/formats/sysstat.md):
/// raw counters, each with its value in the sample before, so that nothing is rounded.
///
/// Of the host itself (processors, memory, pressure) there is one item in a sample, the line of all
/// processors together among them; lines of single ones are passed over.
///
/// Nothing is trusted: a record's Unix time must agree with its hours, minutes and seconds, each device's
/// previous value must be the one printed for the sample before (but for the host's, of which the kernel says
/// that some go backwards), and a sample must have as many devices as it announces. What was read before a
/// contradiction has been collected.
class SadfRawReader {
 public:
  /// \param of_host  The activity is the host's own, not one of disks or interfaces.
  SadfRawReader(std::string host, std::vector<std::string> disk_globs, SampleCollector& collector,
                bool of_host = false)
      : host_(std::move(host)),
        disk_globs_(std::move(disk_globs)),
        collector_(collector),
        of_host_(of_host) {}

  /// Reads one line of the output. The caller adds the place to an error.
  [[nodiscard]] Status read(std::string_view line);

  /// Checks at the end of the output that its last sample is complete.
  [[nodiscard]] Status finish();

  struct Device {
    DeviceKind kind = DeviceKind::kDisk;
    std::string number;  ///< major:minor of a disk.
  };
  [[nodiscard]] const std::map<std::string, Device>& devices() const { return devices_; }
  [[nodiscard]] std::uint64_t samples() const { return samples_; }
  [[nodiscard]] std::optional<WallTime> first() const { return first_; }
  [[nodiscard]] std::optional<WallTime> last() const { return last_; }

 private:
  struct Record {
    SampleClock::Stamp stamp;
    bool counted = false;  ///< Its number of devices was announced; their values follow.
  };
  struct Series {
    std::vector<std::string_view> names;  ///< Of its counters, as on the first line.
    StreamId stream{0xffffffff};
    std::vector<ColumnId> columns;  ///< Per counter, valid for `stream`.
    std::vector<std::uint64_t> values;
    std::uint64_t record = 0;  ///< The number of the record that the values belong to.
  };

  [[nodiscard]] Status read_record_header(std::string_view line);
  [[nodiscard]] Status read_announcement(std::string_view line);
  [[nodiscard]] Status read_item(std::string_view line);
  [[nodiscard]] Status read_host_item(std::string_view line);
  [[nodiscard]] Status check_whole_sample();
  [[nodiscard]] Status read_counters(std::size_t first, DeviceKind kind, std::string_view device);
  void add_value(std::string_view name, CounterForm form, std::uint64_t before, std::uint64_t after);
  [[nodiscard]] Status store(DeviceKind kind, const std::string& device, bool fresh);
  void emit(Series& series, DeviceKind kind, const std::string& device, bool previous);

  std::string host_;
  std::vector<std::string> disk_globs_;
  SampleCollector& collector_;
  bool of_host_;
  SampleClock clock_;
  std::optional<Record> baseline_;  ///< The first record of a boot, whose values come with the next.
  std::optional<Record> current_;
  std::uint64_t record_ = 0;       ///< Number of `current_`; grows by one from sample to sample.
  std::uint64_t boot_record_ = 0;  ///< The record after `baseline_`.
  std::uint64_t announced_ = 0;
  std::uint64_t items_ = 0;
  std::vector<std::string_view> tokens_;
  std::vector<std::string_view> names_;  ///< Counters of the line being read, with their forms and their
  std::vector<CounterForm> forms_;
  std::vector<std::uint64_t> before_;  ///< previous and
  std::vector<std::uint64_t> after_;   ///< current values.
  std::map<std::string, Series, std::less<>> series_;
  std::map<std::string, Device> devices_;
  std::uint64_t samples_ = 0;
  std::optional<WallTime> first_;
  std::optional<WallTime> last_;
};

}  // namespace laggard::collect
