#include "detect/behaviour/behaviour_detector.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "detect/behaviour/behaviour_evidence.h"

namespace laggard::detect {

BehaviourDetector::BehaviourDetector(const DetectorSetup& setup, const BehaviourParametersOfKinds& parameters)
    : grouping_(setup.grouping), servers_(setup.grouping) {
  for (std::size_t kind = 0; kind < kProfiles.size(); ++kind) {
    kinds_.push_back({.name = kProfiles.at(kind),
                      .parameters = parameters.at(kind),
                      .windows = FeatureWindows(parameters.at(kind).unit.floor),
                      .examiner = {grouping_, kProfiles.at(kind), parameters.at(kind).unit}});
  }
}

std::unique_ptr<Detector> BehaviourDetector::make(const DetectorSetup& setup) {
  BehaviourParametersOfKinds parameters = default_behaviour();
  for (std::size_t kind = 0; kind < kProfiles.size() && setup.trained_behaviour != nullptr; ++kind) {
    const auto trained = setup.trained_behaviour->find(std::string(kProfiles.at(kind)));
    if (trained != setup.trained_behaviour->end()) parameters.at(kind).trained = trained->second;
  }
  return std::make_unique<BehaviourDetector>(setup, parameters);
}

void BehaviourDetector::take(const ProfileTable& profile) {
  if (!servers_.is_compared(profile.host())) return;
  const auto kind = std::ranges::find(kinds_, profile.kind(), &Kind::name);
  if (kind != kinds_.end()) kind->windows.add(profile);
}

void BehaviourDetector::complete(WallTime until) {
  for (Kind& kind : kinds_) {
    for (const FeatureWindow& window : kind.windows.take(until)) judge(kind, window);
  }
}

void BehaviourDetector::judge(Kind& kind, const FeatureWindow& window) {
  const bool words_changed =
      std::exchange(kind.generation, kind.windows.generation()) != kind.windows.generation();
  if (words_changed) kind.examiner.forget_functions();
  kind.examiner.add(window);
  for (const auto& [name, hosts] : servers_.members(window)) {
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

std::vector<Evidence> BehaviourDetector::examine(const Suspicion& suspicion) const {
  const std::vector<Part> accused = suspicion.accused();
  const auto accuses = [&](const Finding& finding, std::string_view kind) {
    return finding.evidence.detector == kind && std::ranges::find(accused, finding.part) != accused.end() &&
           finding.since < suspicion.interval.to && finding.until > suspicion.interval.from;
  };
  const std::vector<Finding> mine = findings();
  std::vector<Evidence> answers;
  for (const Kind& kind : kinds_) {
    if (std::ranges::any_of(mine, [&](const Finding& finding) { return accuses(finding, kind.name); }))
      continue;
    if (auto answer = kind.examiner.examine(suspicion, kind.windows.words(), kMostShown)) {
      answers.push_back(std::move(*answer));
    }
  }
  return answers;
}

}  // namespace laggard::detect
