#include "analyse/judge/peers.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace laggard::analyse {

MedianOfOthers::MedianOfOthers(std::span<const double> x) {
  sorted_.reserve(x.size());
  std::copy_if(x.begin(), x.end(), std::back_inserter(sorted_), [](double v) { return !std::isnan(v); });
  std::sort(sorted_.begin(), sorted_.end());
}

double MedianOfOthers::without(double mine) const {
  const bool among = !std::isnan(mine);
  const std::size_t n = sorted_.size() - (among && !sorted_.empty() ? 1 : 0);
  if (n == 0) return std::numeric_limits<double>::quiet_NaN();
  const std::size_t gap =
      among
          ? static_cast<std::size_t>(std::lower_bound(sorted_.begin(), sorted_.end(), mine) - sorted_.begin())
          : sorted_.size();
  const auto at = [&](std::size_t k) { return sorted_[k < gap ? k : k + 1]; };
  return n % 2 == 1 ? at(n / 2) : (at(n / 2 - 1) + at(n / 2)) / 2;
}

double median_of(std::span<const double> x) {
  return MedianOfOthers(x).without(std::numeric_limits<double>::quiet_NaN());
}

}  // namespace laggard::analyse
