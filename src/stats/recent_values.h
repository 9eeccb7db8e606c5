#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace laggard::stats {

/// The last `capacity` values of something, and their quantiles: for what *persists*, such as a low quantile
/// over many windows of how much a component is slower than its peers. Fixed memory; O(capacity) per
/// quantile.
class RecentValues {
 public:
  /// Requires capacity >= 1.
  explicit RecentValues(std::size_t capacity);

  /// Forgets the oldest value when full. NaN, which says nothing, is not taken.
  void push(double value);
  void clear();

  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }

  /// By the rule of quantile.h. Requires size() >= 1.
  [[nodiscard]] double quantile(double p, std::vector<double>& scratch) const;

  /// Oldest first: the whole state. Pushing them into an empty one restores it.
  [[nodiscard]] std::vector<double> values() const;

  friend bool operator==(const RecentValues& a, const RecentValues& b) {
    return a.capacity_ == b.capacity_ && a.values() == b.values();
  }

 private:
  std::size_t capacity_;
  std::size_t oldest_ = 0;
  std::vector<double> values_;
};

}  // namespace laggard::stats
