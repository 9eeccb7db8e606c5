#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/time.h"
#include "stats/quantile.h"
#include "stats/sorting_network.h"

namespace laggard::detect {

/// How a series is cut into windows (docs/methods/peer.md, T §3.3, F §10.1). All counts are in samples of the
/// grid.
struct WindowSpec {
  Duration interval = std::chrono::seconds(1);  ///< Of the grid, after down-sampling.
  std::size_t size = 60;                        ///< WinSize.
  std::size_t shift = 30;                       ///< WinShift: distance of two windows' starts.
  std::size_t smoothing = 15;                   ///< Samples of the trailing moving average; 1 is none.
  std::size_t k = 3;                            ///< Faulty when anomalous in k of the past 2k-1 windows.
  bool operator==(const WindowSpec&) const = default;
};

/// A window starts at every multiple of this since the epoch.
[[nodiscard]] constexpr Duration window_step(const WindowSpec& spec) {
  return spec.interval * static_cast<std::int64_t>(spec.shift);
}

/// One window of one metric over one peer group: the smoothed samples of n components at W grid steps.
/// Samples of one time lie together. A missing sample is NaN.
/// What it points to belongs to the stream that hands the window out, until its next one.
struct Window {
  WallTime start{};
  Duration interval{};
  std::int64_t index = 0;  ///< start / window_step: consecutive for consecutive windows, the same everywhere.
  std::size_t components = 0;      ///< n
  std::size_t size = 0;            ///< W
  std::span<const double> values;  ///< W x n, or x as many as are busy.
  /// What the stream knows of them, so that what stands still need not be looked at: no sample is missing ...
  bool complete = false;
  /// ... and which components are not 0 at every sample, ascending: `values` are theirs alone. Nothing when
  /// it is not known: `values` are those of all.
  std::optional<std::span<const std::uint32_t>> busy = std::nullopt;
  /// Which components miss a sample, ascending; nothing when it is not known.
  std::optional<std::span<const std::uint32_t>> holed = std::nullopt;

  /// Of how many components there are values.
  [[nodiscard]] std::size_t width() const { return busy ? busy->size() : components; }
  /// The samples at one time.
  [[nodiscard]] std::span<const double> row(std::size_t sample) const {
    return values.subspan(sample * width(), width());
  }
  /// The samples of all components at one time, 0 of those that are not busy.
  void spread_row(std::size_t sample, std::span<double> out) const;
  [[nodiscard]] WallTime end() const { return start + interval * static_cast<std::int64_t>(size); }
};

/// A window prepared for comparison: the order statistics of every component, and what the group as a whole
/// shows. One preparation serves all distances. Keep one and `assign` window after window: it reuses its
/// memory. What a distance does not ask for is not computed; so ask from one thread only.
///
/// Components that are 0 at every sample are *quiet*: in a large system most are, most of the time. What can
/// be told without looking at zeros is.
class SortedWindow {
 public:
  /// `window` must outlive the use of this.
  void assign(const Window& window);

  [[nodiscard]] const Window& window() const { return window_; }
  [[nodiscard]] std::size_t components() const { return window_.components; }
  [[nodiscard]] std::size_t size() const { return window_.size; }

  /// All components' (k+1)-th smallest samples, k = 0..W-1: n numbers, +infinity where a component has no
  /// more samples. So missing samples sort behind all others.
  [[nodiscard]] std::span<const double> order(std::size_t k);
  /// How many of the component's samples are present.
  [[nodiscard]] std::size_t present(std::size_t component) const;
  /// How many components have a sample at all.
  [[nodiscard]] std::size_t active() const { return active_; }
  /// All samples that are present, in no particular order.
  [[nodiscard]] std::span<const double> samples();
  [[nodiscard]] bool has_samples() const { return active_ > 0; }
  /// Requires at least one present sample.
  [[nodiscard]] double lowest() const { return lowest_; }
  [[nodiscard]] double highest() const { return highest_; }

  /// From now on the samples of these components, distinct ones, do not count for the spread of the group;
  /// until the next `assign`.
  void leave_out_of_spread(std::span<const std::uint32_t> components);
  /// How many components with samples count for it.
  [[nodiscard]] std::size_t in_spread() const { return in_spread_; }
  /// Quartiles Q(1/4) and Q(3/4) of the samples that count. Requires one.
  [[nodiscard]] std::array<double, 2> quartiles(stats::QuantileSelector& selector);
  /// 1.4826 times the median absolute deviation of these.
  [[nodiscard]] double mad(std::vector<double>& scratch);

  /// The components that are not quiet, ascending, and their samples as they came: W rows of busy().size()
  /// each, NaN where missing.
  [[nodiscard]] std::span<const std::uint32_t> busy() const { return busy_; }
  [[nodiscard]] std::span<const double> busy_samples() const { return window_.values; }
  [[nodiscard]] std::size_t quiet() const { return window_.components - busy_.size(); }

  /// Median of the component's present samples; NaN without any.
  [[nodiscard]] double level(std::size_t component);
  /// Median over components of their levels; NaN when none has one.
  [[nodiscard]] double group_level();
  /// +1 when the component lies above its group (its level above the group's), -1 below, 0 when equal or
  /// without samples.
  [[nodiscard]] int side(std::size_t component);

 private:
  void look_at_busy();
  void sort();
  /// The busy components' samples that are present.
  [[nodiscard]] std::span<const double> busy_kept();
  /// The samples that count for the spread, where some do not.
  [[nodiscard]] std::span<const double> spread_samples();

  Window window_;
  std::vector<std::uint32_t> all_;  ///< 0, 1, 2, …: the busy ones where nothing is known.
  std::span<const std::uint32_t> busy_;
  std::vector<std::uint32_t> busy_present_;  ///< Per busy component.
  std::size_t active_ = 0;
  double lowest_ = 0;
  double highest_ = 0;
  std::vector<std::uint8_t> left_out_;  ///< Per component; empty: none is left out of the spread.
  std::size_t in_spread_ = 0;

  // Made when somebody asks.
  bool is_sorted_ = false;
  bool has_kept_ = false;
  std::vector<stats::Comparator> network_;
  std::size_t network_rows_ = 0;
  std::vector<double> sorted_;
  std::vector<double> sorted_busy_;  ///< Where not all are.
  std::vector<double> kept_;
  std::vector<double> busy_kept_;
  std::vector<double> spread_samples_;
  std::vector<double> levels_;
  double group_level_ = 0;
  bool group_level_known_ = false;
};

}  // namespace laggard::detect
