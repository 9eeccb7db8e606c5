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
#include "collect/import/sysstat/sample_clock.h"

namespace laggard::collect {

/// Reads what `sadf -r -U -O debug FILE -- ACTIVITY` prints for one activity (docs/formats/sysstat.md): raw
/// counters, each with its value in the sample before, so that nothing is rounded.
///
/// Trusts nothing: the record's Unix time has to fit its own hours, minutes and seconds, each device's
/// previous value has to be what was printed for the sample before, and a sample has to have as many devices
/// as it announces. What was read before a contradiction has been collected.
class SadfRawReader {
 public:
  SadfRawReader(std::string host, std::vector<std::string> disk_globs, SampleCollector& collector)
      : host_(std::move(host)), disk_globs_(std::move(disk_globs)), collector_(collector) {}

  /// One line of the output. The error has no place yet.
  [[nodiscard]] Status read(std::string_view line);

  /// The output has ended; checks that its last sample was whole.
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
    bool counted = false;  ///< Its number of devices was announced, so values follow.
  };
  struct Series {
    std::vector<std::string_view> names;  ///< Of its counters, as the first line had them.
    StreamId stream{0xffffffff};
    std::vector<ColumnId> columns;  ///< Per counter, valid for `stream`.
    std::vector<std::uint64_t> values;
    std::uint64_t record = 0;  ///< Number of the record that they are of.
  };

  [[nodiscard]] Status read_record_header(std::string_view line);
  [[nodiscard]] Status read_announcement(std::string_view line);
  [[nodiscard]] Status read_item(std::string_view line);
  [[nodiscard]] Status check_whole_sample();
  [[nodiscard]] Status read_counters(std::size_t first, DeviceKind kind, std::string_view device);
  [[nodiscard]] Status store(DeviceKind kind, const std::string& device, bool fresh);
  void emit(Series& series, DeviceKind kind, const std::string& device, bool previous);

  std::string host_;
  std::vector<std::string> disk_globs_;
  SampleCollector& collector_;
  SampleClock clock_;
  std::optional<Record> baseline_;  ///< The first record of a boot, whose values come with the next.
  std::optional<Record> current_;
  std::uint64_t record_ = 0;       ///< Number of `current_`; grows by one from sample to sample.
  std::uint64_t boot_record_ = 0;  ///< The record after `baseline_`.
  std::uint64_t announced_ = 0;
  std::uint64_t items_ = 0;
  std::vector<std::string_view> tokens_;
  std::vector<std::string_view> names_;  ///< Counters of the line being read, with their
  std::vector<std::uint64_t> before_;    ///< previous and
  std::vector<std::uint64_t> after_;     ///< current values.
  std::map<std::string, Series, std::less<>> series_;
  std::map<std::string, Device> devices_;
  std::uint64_t samples_ = 0;
  std::optional<WallTime> first_;
  std::optional<WallTime> last_;
};

}  // namespace laggard::collect
