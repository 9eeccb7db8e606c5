#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "base/time.h"

namespace laggard::detect {

/// What the members of a group waited in one latency metric in its last cells, as they were recorded: not
/// averaged, and without those of who had nothing to do. Means may weigh each by another column: a sample of
/// a single read says little of a disk.
class LatencyHistory {
 public:
  /// \param column      of the metric
  /// \param weighed_by  what its samples count for, e.g. the column of reads; nothing: they count alike
  /// \param cells       to be kept: as many as windows that are to come may begin before
  LatencyHistory(std::size_t column, std::optional<std::size_t> weighed_by, std::size_t cells)
      : column_(column), weighed_by_(weighed_by), most_cells_(cells) {}

  [[nodiscard]] std::size_t column() const { return column_; }
  /// Numbers in memory.
  [[nodiscard]] std::size_t held() const;

  /// \param columns  of all metrics of the group, each with a value per member, NaN where missing
  void push(WallTime t, std::span<const std::span<const double>> columns);

  /// Per member, the mean over [start, end); missing of who waited in fewer than `least` cells of it.
  [[nodiscard]] std::vector<double> means(WallTime start, WallTime end, std::size_t members,
                                          std::size_t least) const;

  /// Per member, the share of its minutes in which its mean was exp(`slow`) times the median of all, and
  /// more; NaN of who has none. Minutes are `length` long; those in which fewer than three waited say
  /// nothing.
  [[nodiscard]] std::vector<double> slow_minutes(WallTime start, WallTime end, std::size_t members,
                                                 Duration length, double slow) const;

 private:
  struct Cell {
    WallTime time;
    std::vector<std::uint32_t> members;  ///< Who waited ...
    std::vector<double> values;          ///< ... for how long ...
    std::vector<double> weights;         ///< ... and what that counts for; empty: alike.

    [[nodiscard]] double weight(std::size_t at) const { return weights.empty() ? 1 : weights[at]; }
  };

  std::size_t column_;
  std::optional<std::size_t> weighed_by_;
  std::size_t most_cells_;
  std::deque<Cell> cells_;
};

}  // namespace laggard::detect
