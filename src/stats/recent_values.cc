#include "stats/recent_values.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "stats/quantile.h"

namespace laggard::stats {

RecentValues::RecentValues(std::size_t capacity) : capacity_(capacity) { LAGGARD_CHECK(capacity >= 1); }

void RecentValues::push(double value) {
  if (std::isnan(value)) return;
  if (values_.size() < capacity_) {
    values_.push_back(value);
    return;
  }
  values_[oldest_] = value;
  oldest_ = (oldest_ + 1) % capacity_;
}

void RecentValues::clear() {
  values_.clear();
  oldest_ = 0;
}

double RecentValues::quantile(double p, std::vector<double>& scratch) const {
  return stats::quantile(values_, p, scratch);
}

std::vector<double> RecentValues::values() const {
  std::vector<double> out = values_;
  std::rotate(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(oldest_), out.end());
  return out;
}

}  // namespace laggard::stats
