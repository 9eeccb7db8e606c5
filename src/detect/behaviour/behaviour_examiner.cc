#include "detect/behaviour/behaviour_examiner.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "detect/behaviour/behaviour_evidence.h"
#include "stats/quantile.h"

namespace laggard::detect {

void BehaviourExaminer::add(const FeatureWindow& window) {
  for (const std::string& host : window.hosts) hosts_.add(host);
  windows_.push_back(window);
  while (windows_.front().span.from < window.span.to - kKept) windows_.pop_front();
}

std::optional<BehaviourExaminer::Means> BehaviourExaminer::means_of(const std::string& host,
                                                                    TimeSpan interval) const {
  Means means;
  double windows = 0;
  for (const FeatureWindow& window : windows_) {
    if (window.span.from < interval.from || window.span.to > interval.to) continue;
    const auto found = std::ranges::lower_bound(window.hosts, host);
    if (found == window.hosts.end() || *found != host) continue;
    const auto values = window.of(static_cast<std::size_t>(found - window.hosts.begin()));
    for (std::size_t f = 0; f < values.size(); ++f) means[window.functions[f]] += values[f];
    ++windows;
  }
  if (windows == 0) return std::nullopt;
  for (auto& [function, sum] : means) sum /= windows;
  return means;
}

std::vector<BehaviourFollower::Differing> BehaviourExaminer::outside(const Means& own,
                                                                     std::span<const Means> peers) const {
  std::set<Word> functions;
  for (const auto& [function, mean] : own) functions.insert(function);
  for (const Means& of_peer : peers) {
    for (const auto& [function, mean] : of_peer) functions.insert(function);
  }
  const auto value = [](const Means& means, Word function) {
    const auto found = means.find(function);
    return found == means.end() ? 0.0 : found->second;
  };
  std::vector<BehaviourFollower::Differing> differing;
  std::vector<double> values;
  for (const Word function : functions) {
    values.clear();
    for (const Means& of_peer : peers) values.push_back(value(of_peer, function));
    const auto [least, most] = std::ranges::minmax(values);
    const double mine = value(own, function);
    const double beyond = std::max(mine - most, least - mine);
    if (beyond <= std::max(unit_.floor, most - least)) continue;
    const double median = stats::median_in_place(values);
    differing.push_back({function, mine, median, std::abs(mine - median)});
  }
  std::ranges::stable_sort(differing, std::ranges::greater{}, &BehaviourFollower::Differing::apart);
  return differing;
}

std::optional<Evidence> BehaviourExaminer::examine(const Suspicion& suspicion, const Dictionary& words,
                                                   std::size_t most) const {
  const std::vector<std::string> suspects = hosts_.of(suspicion.accused());
  const std::vector<std::string> healthy = hosts_.some_of(suspicion.healthy, suspects, kMostPeers);
  std::vector<Means> peers;
  for (const std::string& host : healthy) {
    if (auto means = means_of(host, suspicion.interval)) peers.push_back(std::move(*means));
  }
  if (suspects.empty() || peers.size() < kLeastPeers) return std::nullopt;
  const auto own = means_of(suspects.front(), suspicion.interval);
  if (!own) return std::nullopt;
  const auto differing = outside(*own, peers);
  if (differing.empty()) return std::nullopt;
  Evidence evidence = behaviour_evidence(kind_, differing, words, most).evidence;
  evidence.peer_count = peers.size();
  return evidence;
}

}  // namespace laggard::detect
