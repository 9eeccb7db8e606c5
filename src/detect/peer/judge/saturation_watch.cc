#include "detect/peer/judge/saturation_watch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace laggard::detect {

namespace {

constexpr double kSaturatedRatio = 2;

}  // namespace

void SaturationWatch::observe(std::size_t group, const MetricSpec& metric, const CellRuns::Run& run,
                              std::span<const double> rows) {
  if (!is_judged_by_deviation(metric, parameters_.policies)) return;
  const PeerGroup& peers = grouping_.groups[group];
  const std::size_t members = peers.members.size();
  const double floor = noise_floor(parameters_, metric, all_flash(grouping_, peers));
  std::vector<Seconds>& seconds = seconds_[{std::string(metric.name), group}];
  seconds.resize(members);
  for (auto rest = rows.first(static_cast<std::size_t>(run.end - run.begin) * members); !rest.empty();
       rest = rest.subspan(members)) {
    const double middle = representative(rest.first(members), {});
    if (std::isnan(middle)) continue;
    for (std::size_t i = 0; i < members; ++i) {
      if (!(rest[i] > 0)) continue;
      ++seconds[i].seen;
      if (rest[i] > std::max(kSaturatedRatio * middle, middle + floor)) ++seconds[i].above;
    }
  }
}

TrainedTimes SaturationWatch::saturated() const {
  TrainedTimes all;
  for (const auto& [key, seconds] : seconds_) {
    const PeerGroup& peers = grouping_.groups[key.second];
    std::set<std::string> names;
    const auto seen = std::ranges::count_if(seconds, [](const Seconds& one) { return one.seen > 0; });
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      if (2 * seconds[i].above > seconds[i].seen) names.insert(grouping_[peers.members[i]].name);
    }
    if (!names.empty() && names.size() + kLeastJudgedTogether <= static_cast<std::size_t>(seen)) {
      all[{key.first, peers.name}] = {.distance = std::string(kDeviationDetector),
                                      .metric = key.first,
                                      .group = peers.name,
                                      .others = std::numeric_limits<double>::infinity(),
                                      .components = {},
                                      .saturated = std::move(names)};
    }
  }
  return all;
}

}  // namespace laggard::detect
