#include "detect/peer/judge/level_sums.h"

#include "stats/missing_values.h"

namespace laggard::detect {

void LevelSums::add(const LevelRows& levels) {
  sums_.resize(levels.size());
  for (std::size_t c = 0; c < levels.size(); ++c) {
    sums_[c].sum.resize(levels[c].size(), 0);
    sums_[c].count.resize(levels[c].size(), 0);
    stats::add_present(levels[c], sums_[c].sum, sums_[c].count);
  }
}

std::vector<double> LevelSums::means(std::size_t column) const {
  std::vector<double> mean = sums_[column].sum;
  for (std::size_t i = 0; i < mean.size(); ++i) {
    const double count = sums_[column].count[i];
    mean[i] = count > 0 ? mean[i] / count : kMissing;
  }
  return mean;
}

SharedLevelSums::Ptr SharedLevelSums::add(Ptr sums, std::int64_t position, const LevelRows& levels) {
  if (sums.use_count() == 1) {
    sums->add(levels);
    return sums;
  }
  const auto [grown, is_new] = grown_.try_emplace({position, sums});
  if (is_new) {
    grown->second = sums ? std::make_shared<LevelSums>(*sums) : std::make_shared<LevelSums>();
    grown->second->add(levels);
  }
  return grown->second;
}

}  // namespace laggard::detect
