#include "detect/behaviour/behaviour_detector.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "detect/behaviour/behaviour_evidence.h"

namespace laggard::detect {

namespace {

/// B's 100 samples of 28 kHz are 3.6 ms of CPU; of 99 Hz less than one sample. **Ours**: ten samples of 99
/// Hz.
constexpr double kSamplesFloor = 0.1;
/// "1 sec time".
constexpr double kTimeFloor = 1;
/// B keeps the functions of the time's vectors for counts as well; ours are told apart by counts alone.
constexpr double kCallsFloor = 100;

FeatureWindows windows_for(const BehaviourParameters& parameters) {
  return FeatureWindows(parameters.unit.floor);
}

}  // namespace

std::array<BehaviourParameters, BehaviourDetector::kProfiles.size()> BehaviourDetector::default_parameters() {
  constexpr double kGrainOf99Hz = 1.0 / 99;
  constexpr double kNanosecond = 1e-9;
  std::array<BehaviourParameters, kProfiles.size()> all;
  all[0].unit = {.floor = kSamplesFloor, .grain = kGrainOf99Hz};
  all[0].least = kSamplesFloor;
  all[1].unit = {.floor = kCallsFloor, .grain = 1};
  all[1].least = kCallsFloor;
  all[2].unit = {.floor = kTimeFloor, .grain = kNanosecond};
  all[2].least = kTimeFloor;
  return all;
}

BehaviourDetector::BehaviourDetector(const DetectorSetup& setup,
                                     std::array<BehaviourParameters, kProfiles.size()> parameters)
    : grouping_(setup.grouping) {
  for (std::size_t kind = 0; kind < kProfiles.size(); ++kind) {
    kinds_.push_back({.name = kProfiles.at(kind),
                      .parameters = parameters.at(kind),
                      .windows = windows_for(parameters.at(kind))});
  }
  // The narrowest groups first, since the first claim stands.
  for (const GroupKind kind :
       {GroupKind::kHosts, GroupKind::kDaemons, GroupKind::kInterfaces, GroupKind::kDisks}) {
    for (const PeerGroup& group : grouping_.groups) {
      if (group.kind != kind || group.second_only) continue;
      for (const ComponentId member : group.members) groups_.try_emplace(grouping_[member].host, group.name);
    }
  }
}

std::string BehaviourDetector::group_of(const std::string& host) const {
  const auto known = groups_.find(host);
  return known == groups_.end() ? std::string() : known->second;
}

void BehaviourDetector::take(const ProfileTable& profile) {
  if (grouping_.resolver.endpoint(profile.host()).party == SeriesResolver::Party::kClient) return;
  const auto kind = std::ranges::find(kinds_, profile.kind(), &Kind::name);
  if (kind != kinds_.end()) kind->windows.add(profile);
}

void BehaviourDetector::complete(WallTime until) {
  for (Kind& kind : kinds_) {
    for (const FeatureWindow& window : kind.windows.take(until)) judge(kind, window);
  }
}

void BehaviourDetector::judge(Kind& kind, const FeatureWindow& window) {
  std::map<std::string, std::vector<std::size_t>> members;
  for (std::size_t host = 0; host < window.hosts.size(); ++host)
    members[group_of(window.hosts[host])].push_back(host);
  const bool words_changed =
      std::exchange(kind.generation, kind.windows.generation()) != kind.windows.generation();
  for (const auto& [name, hosts] : members) {
    BehaviourFollower& follower = kind.groups.try_emplace(name, kind.parameters).first->second;
    if (words_changed) follower.forget_functions();
    for (const BehaviourFollower::Verdict& verdict : follower.follow(window, hosts)) {
      note(kind, window, follower, verdict, hosts.size() - 1);
    }
  }
}

Finding& BehaviourDetector::open(const KindAndHost& key, const Kind& kind, WallTime now, bool as_ever) {
  const auto [at, is_new] = open_.try_emplace(key);
  Finding& finding = at->second;
  if (!is_new) return finding;
  const std::deque<WallTime>& begins = anomalous_[key];
  finding.part = grouping_.host_part(key.second);
  finding.symptom = Symptom::kComputing;
  finding.since = begins[begins.size() - std::min(begins.size(), 2 * kind.parameters.k - 1)];
  finding.faulty_since = now;
  finding.persistent_since = now;
  if (!as_ever) finding.confirmed_since = now;
  finding.as_ever = as_ever;
  finding.opened = {now, Symptom::kComputing};
  finding.open = true;
  return finding;
}

void BehaviourDetector::close(const KindAndHost& key) {
  anomalous_.erase(key);
  const auto known = open_.find(key);
  if (known == open_.end()) return;
  known->second.open = false;
  over_.push_back(std::move(known->second));
  open_.erase(known);
}

void BehaviourDetector::note(const Kind& kind, const FeatureWindow& window, const BehaviourFollower& follower,
                             const BehaviourFollower::Verdict& verdict, std::size_t peers) {
  const std::string& host = window.hosts[verdict.host];
  const KindAndHost key{kind.name, host};
  if (verdict.normal >= kind.parameters.k) return close(key);
  if (!verdict.is_anomalous) return;
  std::deque<WallTime>& begins = anomalous_[key];
  begins.push_back(window.span.from);
  if (begins.size() > kMostWindows) begins.pop_front();
  if (!verdict.is_faulty) return;
  Finding& finding = open(key, kind, window.span.to, verdict.as_ever);
  finding.until = window.span.to;
  finding.persistence =
      finding.persistence == 0 ? static_cast<std::int64_t>(begins.size()) : finding.persistence + 1;
  BehaviourEvidence told =
      behaviour_evidence(kind.name, follower.differing(host), kind.windows.words(), kMostShown);
  finding.resource = told.resource;
  Evidence& evidence = told.evidence;
  evidence.peer_count = peers;
  evidence.windows.assign(begins.begin(), begins.end());
  evidence.distance = finding.evidence.distance;
  evidence.threshold = finding.evidence.threshold;
  evidence.score = finding.evidence.score;
  evidence.worst_window = finding.evidence.worst_window;
  if (verdict.score() > evidence.score) {
    evidence.distance = verdict.distance;
    evidence.threshold = verdict.threshold;
    evidence.score = verdict.score();
    evidence.worst_window = window.span.from;
  }
  finding.strength = evidence.score;
  finding.evidence = std::move(evidence);
}

std::vector<Finding> BehaviourDetector::findings() const {
  std::vector<Finding> all = over_;
  for (const auto& [key, finding] : open_) all.push_back(finding);
  return all;
}

void BehaviourDetector::forget(std::span<const std::uint8_t> keep) {
  std::vector<Finding> left;
  for (std::size_t f = 0; f < over_.size(); ++f) {
    if (keep[f] != 0) left.push_back(std::move(over_[f]));
  }
  over_ = std::move(left);
}

}  // namespace laggard::detect
