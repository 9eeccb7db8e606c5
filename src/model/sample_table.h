#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "base/zeroed_array.h"
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
/// value (`set_uniform`) and asked for as one (`uniform`). Its cells are not written; `view` reads them all
/// the same.
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
    return view(c, d).present(t);
  }
  [[nodiscard]] std::uint64_t bits(std::size_t c, std::size_t d, std::size_t t) const {
    return view(c, d).value(t);
  }
  [[nodiscard]] std::optional<std::uint64_t> integer(std::size_t c, std::size_t d, std::size_t t) const;
  /// The value as a double whatever its form.
  [[nodiscard]] std::optional<double> number(std::size_t c, std::size_t d, std::size_t t) const;

  /// The cells of one series, uniform or not. Missing cells have the value 0.
  class View {
   public:
    [[nodiscard]] bool present(std::size_t t) const { return presence_[t * step_] != 0; }
    [[nodiscard]] std::uint64_t value(std::size_t t) const { return values_[t * step_]; }

   private:
    friend class SampleTable;
    View(const std::uint64_t* values, const std::uint8_t* presence, std::size_t step)
        : values_(values), presence_(presence), step_(step) {}
    const std::uint64_t* values_;
    const std::uint8_t* presence_;
    std::size_t step_;  ///< 0: all cells are the first one.
  };
  [[nodiscard]] View view(std::size_t c, std::size_t d) const;

  /// The series of one (c, d), which is not uniform: `times().size()` cells. Missing cells hold 0 in `series`
  /// and 0 in `presence`.
  [[nodiscard]] std::span<const std::uint64_t> series(std::size_t c, std::size_t d) const;
  [[nodiscard]] std::span<const std::uint8_t> presence(std::size_t c, std::size_t d) const;
  /// The same to write to, uniform until now or not.
  [[nodiscard]] std::span<std::uint64_t> series(std::size_t c, std::size_t d);
  [[nodiscard]] std::span<std::uint8_t> presence(std::size_t c, std::size_t d);
  /// Puts the cells [begin, end) of a series of `from` into one of this table, from cell `at` on.
  struct Cut {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t at = 0;
  };
  void copy(const View& from, const Cut& cut, std::size_t c, std::size_t d);
  /// The same of all cells of a table of as many; a series that is uniform stays so.
  void copy(const SampleTable& from, std::size_t from_c, std::size_t from_d, std::size_t c, std::size_t d);

  /// The same for who writes every cell of both; what they hold until then is anything.
  struct Cells {
    std::span<std::uint64_t> series;
    std::span<std::uint8_t> presence;
  };
  [[nodiscard]] Cells overwrite(std::size_t c, std::size_t d);

  /// The one value of a series that is known to be present throughout and to stand still.
  [[nodiscard]] std::optional<std::uint64_t> uniform(std::size_t c, std::size_t d) const {
    return uniform_[c * devices_.size() + d];
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
  /// Fills in the cells of a series that was uniform and is to become something else.
  void write_out(std::size_t c, std::size_t d);
  [[nodiscard]] std::size_t cell(std::size_t c, std::size_t d, std::size_t t) const {
    return (c * devices_.size() + d) * times_.size() + t;
  }

  std::string host_;
  DeviceKind kind_ = DeviceKind::kDisk;
  std::string boot_;
  std::vector<TableCounter> counters_;
  std::vector<std::string> devices_;
  std::vector<WallTime> times_;
  /// Per counter and device; the cells of one that has a value here hold nothing.
  std::vector<std::optional<std::uint64_t>> uniform_;
  ZeroedArray<std::uint64_t> values_;
  ZeroedArray<std::uint8_t> present_;
};

}  // namespace laggard
