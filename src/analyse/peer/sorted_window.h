#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyse/peer/window.h"
#include "stats/quantile.h"
#include "stats/sorting_network.h"

namespace laggard::analyse {

/// A window prepared for comparison: the order statistics of every component, and what the group as a whole
/// shows. One preparation serves all distances. Keep one and `assign` window after window: it reuses its
/// memory.
class SortedWindow {
 public:
  /// `window` must outlive the use of this.
  void assign(const Window& window);

  [[nodiscard]] const Window& window() const { return window_; }
  [[nodiscard]] std::size_t components() const { return window_.components; }
  [[nodiscard]] std::size_t size() const { return window_.size; }

  /// All components' (k+1)-th smallest samples, k = 0..W-1: n numbers, +infinity where a component has no
  /// more samples. So missing samples sort behind all others.
  [[nodiscard]] std::span<const double> order(std::size_t k) const {
    return std::span(sorted_).subspan(k * window_.components, window_.components);
  }
  /// How many of the component's samples are present.
  [[nodiscard]] std::size_t present(std::size_t component) const { return present_[component]; }
  /// How many components have a sample at all.
  [[nodiscard]] std::size_t active() const;
  /// All samples that are present, in no particular order.
  [[nodiscard]] std::span<const double> samples() const { return samples_; }
  /// Requires at least one present sample.
  [[nodiscard]] double lowest() const { return lowest_; }
  [[nodiscard]] double highest() const { return highest_; }

  /// Median of the component's present samples; NaN without any.
  [[nodiscard]] double level(std::size_t component) const;
  /// Median over components of their levels; NaN when none has one.
  [[nodiscard]] double group_level();
  /// +1 when the component lies above its group (its level above the group's), -1 below, 0 when equal or
  /// without samples.
  [[nodiscard]] int side(std::size_t component);

 private:
  Window window_;
  std::vector<stats::Comparator> network_;
  std::size_t network_rows_ = 0;
  std::vector<double> sorted_;
  std::vector<std::uint32_t> present_;
  std::vector<double> samples_;
  std::vector<double> levels_;
  double lowest_ = 0;
  double highest_ = 0;
  double group_level_ = 0;
  bool group_level_known_ = false;
};

}  // namespace laggard::analyse
