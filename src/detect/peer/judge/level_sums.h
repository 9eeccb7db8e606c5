#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace laggard::detect {

/// The group's levels, summed over the windows of an anomaly: who did how much while this was going on.
class LevelSums {
 public:
  void add(const std::vector<std::vector<double>>& levels);
  /// Means of a column; NaN for members that never had a level.
  [[nodiscard]] std::vector<double> means(std::size_t column) const;
  /// In how many windows each member had a level in a column.
  [[nodiscard]] const std::vector<double>& windows(std::size_t column) const { return sums_[column].count; }
  [[nodiscard]] std::size_t columns() const { return sums_.size(); }

 private:
  struct Sums {
    std::vector<double> sum;  ///< Per member.
    std::vector<double> count;
  };
  std::vector<Sums> sums_;
};

/// Lets anomalies share their sums as long as they hold the same windows: behind a failed controller hundreds
/// of attachments are sick at the same times, and what their group did meanwhile need be summed, and kept,
/// once.
class SharedLevelSums {
 public:
  using Ptr = std::shared_ptr<LevelSums>;

  /// From now on another window is the latest.
  void next_window() { grown_.clear(); }
  /// The sums (null: those of no window) with one window more, whose position tells it from others.
  [[nodiscard]] Ptr add(Ptr sums, std::int64_t position, const std::vector<std::vector<double>>& levels);

 private:
  /// What was made of which sums; holds on to both, so that an address means one thing.
  std::map<std::pair<std::int64_t, Ptr>, Ptr> grown_;
};

}  // namespace laggard::detect
