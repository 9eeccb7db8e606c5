#include "analyse/judge/peers.h"

#include <algorithm>
#include <cmath>

#include "base/missing.h"

namespace laggard::analyse {

MedianOfOthers::MedianOfOthers(std::span<const double> x) {
  // Most members of a large system are idle, so zeros are put where they belong without being sorted.
  std::size_t zeros = 0;
  sorted_.reserve(x.size());
  for (const double v : x) {
    if (v == 0) {
      ++zeros;
    } else if (!std::isnan(v)) {
      sorted_.push_back(v);
    }
  }
  std::sort(sorted_.begin(), sorted_.end());
  sorted_.insert(std::lower_bound(sorted_.begin(), sorted_.end(), 0.0), zeros, 0.0);
}

double MedianOfOthers::without(double mine) const {
  if (mine == last_mine_) return last_answer_;
  const bool among = !std::isnan(mine);
  const std::size_t n = sorted_.size() - (among && !sorted_.empty() ? 1 : 0);
  if (n == 0) return kMissing;
  const std::size_t gap =
      among
          ? static_cast<std::size_t>(std::lower_bound(sorted_.begin(), sorted_.end(), mine) - sorted_.begin())
          : sorted_.size();
  const auto at = [&](std::size_t k) { return sorted_[k < gap ? k : k + 1]; };
  last_mine_ = mine;
  last_answer_ = n % 2 == 1 ? at(n / 2) : (at(n / 2 - 1) + at(n / 2)) / 2;
  return last_answer_;
}

double median_of(std::span<const double> x) {
  std::vector<double> present;
  present.reserve(x.size());
  std::copy_if(x.begin(), x.end(), std::back_inserter(present), [](double v) { return !std::isnan(v); });
  if (present.empty()) return kMissing;
  const auto middle = present.begin() + static_cast<std::ptrdiff_t>(present.size() / 2);
  std::nth_element(present.begin(), middle, present.end());
  return present.size() % 2 == 1 ? *middle : (*std::max_element(present.begin(), middle) + *middle) / 2;
}

}  // namespace laggard::analyse
