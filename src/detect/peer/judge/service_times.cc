#include "detect/peer/judge/service_times.h"

#include <algorithm>
#include <cmath>

#include "base/missing.h"
#include "stats/missing_values.h"

namespace laggard::detect {

namespace {

/// A second without a call has no mean, where metrics say 0.
double seen(double time) { return time > 0 ? time : kMissing; }

}  // namespace

TrainedTimes trained_times(const Thresholds& thresholds) {
  TrainedTimes all;
  for (const GroupThresholds& group : thresholds.groups) {
    if (group.distance == kDeviationDetector) all[{group.metric, group.group}] = group;
  }
  return all;
}

std::vector<TrainedMember> trained_members(const TrainedTimes& trained, std::string_view metric,
                                           const Grouping& grouping, std::size_t group) {
  const PeerGroup& peers = grouping.groups[group];
  const auto taught = trained.find({std::string(metric), peers.name});
  if (taught == trained.end()) return {};
  std::vector<TrainedMember> members;
  for (const ComponentId id : peers.members) {
    const std::string& name = grouping[id].name;
    members.push_back({taught->second.of(name), taught->second.saturated.contains(name)});
  }
  return members;
}

namespace {

/// One of those that the median of a second is made of.
struct Candidate {
  double time = 0;
  double threshold = std::numeric_limits<double>::infinity();
};

double median_time(std::span<const Candidate> candidates) {
  std::vector<double> times(candidates.size());
  std::ranges::transform(candidates, times.begin(), &Candidate::time);
  return stats::median_of(times);
}

}  // namespace

double representative(std::span<const double> times, std::span<const TrainedMember> members) {
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const TrainedMember member = members.empty() ? TrainedMember{} : members[i];
    if (times[i] > 0 && !member.saturated) candidates.push_back({times[i], member.threshold});
  }
  if (candidates.size() < kLeastJudgedTogether) return kMissing;
  const std::size_t least = std::max(kLeastJudgedTogether, candidates.size() / 2 + 1);
  double middle = median_time(candidates);
  while (candidates.size() > least) {
    const auto score = [&](const Candidate& one) { return std::abs(one.time - middle) / one.threshold; };
    const auto farthest = std::ranges::max_element(candidates, {}, score);
    if (!(score(*farthest) > 1)) break;
    candidates.erase(farthest);
    middle = median_time(candidates);
  }
  return middle;
}

std::vector<double> largest_deviations(const Window& window, std::span<const TrainedMember> members) {
  std::vector<double> largest(window.components, kMissing);
  std::vector<double> times(window.components);
  for (std::size_t second = 0; second < window.size; ++second) {
    window.spread_row(second, times);
    const double middle = representative(times, members);
    // Of two numbers of which one is missing std::fmax takes the other.
    for (std::size_t i = 0; i < times.size(); ++i) {
      largest[i] = std::fmax(largest[i], std::abs(seen(times[i]) - middle));
    }
  }
  return largest;
}

}  // namespace laggard::detect
