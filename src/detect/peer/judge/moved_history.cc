#include "detect/peer/judge/moved_history.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "stats/missing_values.h"

namespace laggard::detect {

void MovedHistory::put(std::vector<Mean>& means, const Mean& mean) const {
  if (!means.empty() && means.back().place == mean.place) {
    means.back().sum += mean.sum;
    means.back().count += mean.count;
  } else {
    means.push_back(mean);
  }
}

void MovedHistory::halve() {
  ++level_;
  std::vector<Mean> halved;
  for (const Mean& mean : means_) put(halved, {mean.place >> 1, mean.sum, mean.count});
  means_ = std::move(halved);
}

void MovedHistory::add(std::int64_t index, double moved) {
  if (std::isnan(moved)) return;
  put(means_, {index >> level_, moved, 1});
  while (means_.size() > kMost) halve();
}

std::vector<MovedHistory::Level> MovedHistory::levels() const {
  std::vector<Level> levels;
  for (const Mean& mean : means_) {
    const std::int64_t first = mean.place << level_;
    levels.push_back(
        {first, first + (std::int64_t{1} << level_) - 1, mean.sum / static_cast<double>(mean.count)});
  }
  return levels;
}

std::optional<MovedHistory::Fall> MovedHistory::fall(std::int64_t from, std::int64_t to) const {
  constexpr std::ptrdiff_t kBefore = 8;
  const auto first = std::ranges::lower_bound(means_, from >> level_, {}, &Mean::place);
  const auto last = std::ranges::upper_bound(means_, to >> level_, {}, &Mean::place);
  if (first == means_.begin() || first >= last) return std::nullopt;
  const auto median = [](auto begin, auto end) {
    std::vector<double> means;
    for (auto at = begin; at != end; ++at) means.push_back(at->sum / static_cast<double>(at->count));
    return stats::median_of(means);
  };
  const Fall fall{median(first - std::min(kBefore, first - means_.begin()), first), median(first, last)};
  if (!(fall.before > 0)) return std::nullopt;
  return fall;
}

}  // namespace laggard::detect
