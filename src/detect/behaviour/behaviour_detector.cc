#include "detect/behaviour/behaviour_detector.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "detect/behaviour/behaviour_evidence.h"
#include "detect/behaviour/behaviour_flames.h"
#include "detect/behaviour/behaviour_training.h"

namespace laggard::detect {

namespace {

/// Of B's 3 of 5.
constexpr std::size_t kLookBack = 5;

}  // namespace

BehaviourDetector::BehaviourDetector(const DetectorSetup& setup, std::vector<BehaviourComparison> comparisons)
    : grouping_(setup.grouping), comparer_(setup.grouping, std::move(comparisons)) {
  for (const BehaviourComparison& one : comparer_.comparisons()) {
    if (one.of_programs) continue;
    examiners_.try_emplace(one.profile, grouping_, one.profile, one.parameters.unit);
  }
}

std::unique_ptr<Detector> BehaviourDetector::make(const DetectorSetup& setup) {
  return std::make_unique<BehaviourDetector>(
      setup,
      behaviour_with(setup.trained_behaviour, code_measure(setup.code_measure).value_or(CodeMeasure{})));
}

void BehaviourDetector::take(const ProfileTable& profile) { comparer_.add(profile); }

void BehaviourDetector::complete(WallTime until) {
  const auto note_all = [&](const BehaviourComparer::Judged& judged) {
    for (const BehaviourFollower::Verdict& verdict : judged.verdicts) note(judged, verdict);
  };
  const auto keep = [&](std::string_view profile, const FeatureWindow& window) {
    examiners_.at(profile).add(window);
  };
  const auto forget_words = [&](std::string_view profile) { examiners_.at(profile).forget_functions(); };
  comparer_.take(until, {.judged = note_all, .window = keep, .words_changed = forget_words});
}

Finding& BehaviourDetector::open(const NameAndHost& key, WallTime now, bool as_ever, bool confirms) {
  const auto [at, is_new] = open_.try_emplace(key);
  Finding& finding = at->second;
  if (!is_new) return finding;
  const std::deque<WallTime>& begins = anomalous_[key];
  finding.part = grouping_.host_part(key.second);
  finding.symptom = Symptom::kComputing;
  finding.since = begins[begins.size() - std::min(begins.size(), kLookBack)];
  finding.faulty_since = now;
  finding.persistent_since = now;
  if (!as_ever && confirms) finding.confirmed_since = now;
  finding.as_ever = as_ever;
  finding.opened = {now, Symptom::kComputing};
  finding.open = true;
  return finding;
}

void BehaviourDetector::close(const NameAndHost& key) {
  anomalous_.erase(key);
  const auto known = open_.find(key);
  if (known == open_.end()) return;
  known->second.open = false;
  over_.push_back(std::move(known->second));
  open_.erase(known);
}

void BehaviourDetector::note(const BehaviourComparer::Judged& judged,
                             const BehaviourFollower::Verdict& verdict) {
  const BehaviourComparison& comparison = comparer_.comparisons()[judged.comparison];
  const FeatureWindow& window = judged.window;
  const std::string& host = window.hosts[verdict.host];
  const NameAndHost key{comparison.name, host};
  if (verdict.normal >= comparison.parameters.k) return close(key);
  if (!verdict.is_anomalous) return;
  std::deque<WallTime>& begins = anomalous_[key];
  begins.push_back(window.span.from);
  if (begins.size() > kMostWindows) begins.pop_front();
  if (!verdict.is_faulty) return;
  const bool confirms = !comparison.needs_training || comparison.parameters.trained.contains(host);
  Finding& finding = open(key, window.span.to, verdict.as_ever, confirms);
  finding.until = window.span.to;
  finding.persistence =
      finding.persistence == 0 ? static_cast<std::int64_t>(begins.size()) : finding.persistence + 1;
  const Dictionary& words = comparer_.words(comparison.profile);
  const std::vector<BehaviourFollower::Differing> differing = judged.follower.differing(host);
  BehaviourEvidence told = behaviour_evidence(comparison.profile, differing, words, kMostShown);
  finding.resource = told.resource;
  finding.facts = std::move(told.facts);
  Evidence& evidence = told.evidence;
  auto flames = behaviour_flames(comparison.profile, differing, judged.follower.rest(host), words);
  if (flames) evidence.payloads.push_back(std::move(*flames));
  evidence.detector = comparison.name;
  evidence.peer_count = judged.verdicts.size() - 1;
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
  const auto shows = [&](const Finding& finding, std::string_view profile) {
    const auto& of_this =
        std::ranges::find(comparer_.comparisons(), finding.evidence.detector, &BehaviourComparison::name);
    return of_this->profile == profile && !of_this->of_programs &&
           std::ranges::find(accused, finding.part) != accused.end() &&
           finding.since < suspicion.interval.to && finding.until > suspicion.interval.from;
  };
  const std::vector<Finding> mine = findings();
  std::vector<Evidence> answers;
  for (const auto& [profile, examiner] : examiners_) {
    if (std::ranges::any_of(mine,
                            [&, kind = profile](const Finding& finding) { return shows(finding, kind); }))
      continue;
    if (auto answer = examiner.examine(suspicion, comparer_.words(profile), kMostShown)) {
      answers.push_back(std::move(*answer));
    }
  }
  return answers;
}

}  // namespace laggard::detect
