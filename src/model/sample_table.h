#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/raw_array.h"
#include "base/time.h"
#include "model/counter.h"

namespace laggard {

/// A counter as one table uses it.
struct TableCounter {
  std::string name;
  CounterForm form = CounterForm::kCumulative;
  bool operator==(const TableCounter&) const = default;
};

/// Raw samples of the devices of one kind on one host over a run of sample times: the unit that recorders
/// write, the archive stores and detectors read.
///
/// Shape: cell (c, d, t) for counter c, device d, time t. Cells of one (c, d) lie together, so that a series
/// is a span. Every cell is 64 bits: an unsigned integer, or the bits of a double for computed rates. A cell
/// that was not sampled is *missing*, which is never zero.
///
/// A series that is present throughout and stands still, as most do in a large system, can be put in as one
/// value (`set_uniform`) and asked for as one (`uniform`). The cells of such a series, and of one that is
/// missing throughout, as all are at first, are written when somebody asks for them: do not let two threads
/// read one table.
///
/// `times` keep the order of recording. They grow, except where the wall clock was stepped back or a sample
/// was repeated; readers decide what that means (docs/methods/metrics.md: a repeated time keeps the latest
/// record).
class SampleTable {
 public:
  SampleTable() = default;
  SampleTable(std::string host, DeviceKind kind, std::vector<TableCounter> counters,
              std::vector<std::string> devices, std::vector<WallTime> times);

  [[nodiscard]] const std::string& host() const { return host_; }
  [[nodiscard]] DeviceKind kind() const { return kind_; }
  [[nodiscard]] const std::vector<TableCounter>& counters() const { return counters_; }
  [[nodiscard]] const std::vector<std::string>& devices() const { return devices_; }
  [[nodiscard]] const std::vector<WallTime>& times() const { return times_; }

  /// Names the boot of the host that the counters belong to; empty when unknown. Differences across two
  /// boots are missing even where a counter happens to have grown.
  [[nodiscard]] const std::string& boot() const { return boot_; }
  void set_boot(std::string boot) { boot_ = std::move(boot); }

  [[nodiscard]] std::optional<std::size_t> counter_index(std::string_view name) const;
  [[nodiscard]] std::optional<std::size_t> device_index(std::string_view name) const;

  [[nodiscard]] bool present(std::size_t c, std::size_t d, std::size_t t) const {
    return presence(c, d)[t] != 0;
  }
  [[nodiscard]] std::uint64_t bits(std::size_t c, std::size_t d, std::size_t t) const {
    return series(c, d)[t];
  }
  [[nodiscard]] std::optional<std::uint64_t> integer(std::size_t c, std::size_t d, std::size_t t) const;
  /// The value as a double whatever its form.
  [[nodiscard]] std::optional<double> number(std::size_t c, std::size_t d, std::size_t t) const;

  /// The series of one (c, d): `times().size()` cells. Missing cells hold 0 in `series` and 0 in `presence`.
  [[nodiscard]] std::span<const std::uint64_t> series(std::size_t c, std::size_t d) const;
  [[nodiscard]] std::span<const std::uint8_t> presence(std::size_t c, std::size_t d) const;
  [[nodiscard]] std::span<std::uint64_t> series(std::size_t c, std::size_t d);
  [[nodiscard]] std::span<std::uint8_t> presence(std::size_t c, std::size_t d);

  /// The same for who writes every cell of both; what they hold until then is anything.
  struct Cells {
    std::span<std::uint64_t> series;
    std::span<std::uint8_t> presence;
  };
  [[nodiscard]] Cells overwrite(std::size_t c, std::size_t d);

  /// The one value of a series that is known to be present throughout and to stand still.
  [[nodiscard]] std::optional<std::uint64_t> uniform(std::size_t c, std::size_t d) const {
    const Series& s = series_[c * devices_.size() + d];
    return s.uniform ? std::optional(s.value) : std::nullopt;
  }
  void set_uniform(std::size_t c, std::size_t d, std::uint64_t value);

  void set(std::size_t c, std::size_t d, std::size_t t, std::uint64_t value);
  void set_computed_rate(std::size_t c, std::size_t d, std::size_t t, double value) {
    set(c, d, t, std::bit_cast<std::uint64_t>(value));
  }

  [[nodiscard]] std::size_t cells() const { return values_.size(); }
  [[nodiscard]] std::size_t present_cells() const;
  bool operator==(const SampleTable& other) const;

 private:
  struct Series {
    bool uniform = false;  ///< Present throughout with one value.
    bool written = false;  ///< The cells hold it; else they hold nothing, and it is uniform or missing.
    std::uint64_t value = 0;
  };
  /// Fills in the cells of a series that is not written.
  void write_out(std::size_t c, std::size_t d) const;
  [[nodiscard]] std::size_t cell(std::size_t c, std::size_t d, std::size_t t) const {
    return (c * devices_.size() + d) * times_.size() + t;
  }

  std::string host_;
  DeviceKind kind_ = DeviceKind::kDisk;
  std::string boot_;
  std::vector<TableCounter> counters_;
  std::vector<std::string> devices_;
  std::vector<WallTime> times_;
  mutable std::vector<Series> series_;  ///< Per counter and device.
  mutable RawArray<std::uint64_t> values_;
  mutable RawArray<std::uint8_t> present_;
};

}  // namespace laggard
