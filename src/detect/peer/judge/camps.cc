#include "detect/peer/judge/camps.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "stats/missing_values.h"

namespace laggard::detect {

std::optional<Split> split_in_two(std::span<const double> levels, double floor, const CampLimits& limits) {
  LAGGARD_CHECK(floor > 0);
  const std::size_t n = levels.size();
  if (n < limits.least || std::ranges::any_of(levels, [](double x) { return !(x >= 0) || std::isinf(x); })) {
    return std::nullopt;
  }
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return levels[i]; });
  const auto level = [&](std::size_t place) { return levels[order[place]]; };
  const auto scaled = [&](std::size_t place) { return std::log(level(place) + floor); };
  const auto smaller = static_cast<std::size_t>(std::ceil(limits.smaller * static_cast<double>(n)));
  std::size_t lower = 0;  // How many are in the lower camp.
  double gap = 0;
  for (std::size_t count = smaller; count + smaller <= n; ++count) {
    const double here = scaled(count) - scaled(count - 1);
    if (here > gap) gap = here, lower = count;
  }
  if (lower == 0 || level(lower) < limits.factor * level(lower - 1) ||
      level(lower) - level(lower - 1) < limits.floors * floor) {
    return std::nullopt;
  }
  const double spread = std::max(scaled(lower - 1) - scaled(0), scaled(n - 1) - scaled(lower));
  if (gap < limits.apart * spread) return std::nullopt;
  Split split{std::vector<std::uint8_t>(n, 0), 0, 0};
  std::vector<double> higher_levels, lower_levels;
  for (std::size_t place = 0; place < n; ++place) {
    (place < lower ? lower_levels : higher_levels).push_back(level(place));
    if (place >= lower) split.higher[order[place]] = 1;
  }
  split.higher_level = stats::median_of(higher_levels);
  split.lower_level = stats::median_of(lower_levels);
  return split;
}

void CampFollower::end() {
  if (now_.windows >= least_) {
    if (over_.size() == kMost) over_.erase(over_.begin());
    over_.push_back(std::move(now_));
  }
  now_ = {};
}

void CampFollower::add(std::int64_t index, const std::optional<Split>& split) {
  const bool long_ago = now_.windows > 0 && index - now_.to >= least_;
  if (long_ago || (split && now_.windows > 0 && now_.higher != split->higher)) end();
  if (!split) return;
  if (now_.windows == 0) now_ = {index, index, 0, split->higher, 0, 0};
  now_.to = index;
  ++now_.windows;
  now_.higher_sum += split->higher_level;
  now_.lower_sum += split->lower_level;
}

std::vector<CampFollower::Found> CampFollower::found() const {
  std::vector<Found> found = over_;
  if (now_.windows >= least_) found.push_back(now_);
  return found;
}

}  // namespace laggard::detect
