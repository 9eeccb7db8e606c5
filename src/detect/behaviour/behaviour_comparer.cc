#include "detect/behaviour/behaviour_comparer.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "model/code_profile.h"

namespace laggard::detect {

std::vector<BehaviourComparison> default_behaviour(const CodeMeasure& measure) {
  /// B's 100 samples of 28 kHz are 3.6 ms of CPU; of 99 Hz that is less than one sample. **Ours**: ten of 99
  /// Hz.
  constexpr double kSamplesFloor = 0.1;
  constexpr double kTimeFloor = 1;  // "1 sec time"
  /// B counts the calls of the functions that time kept; here counts stand alone.
  constexpr double kCallsFloor = 100;
  /// Of what a site has looked at by name; among retransmissions ten in a minute are many where others have
  /// none.
  constexpr double kKernelCallsFloor = 10;
  constexpr double kGrainOf99Hz = 1.0 / 99;
  constexpr double kNanosecond = 1e-9;
  const auto with = [&](double floor, double grain) {
    BehaviourParameters parameters;
    parameters.measure = measure;
    parameters.unit = {.floor = floor, .grain = grain};
    parameters.least = floor;
    return parameters;
  };
  std::vector<BehaviourComparison> all{
      {.name = kSamplesKind, .profile = kSamplesKind, .parameters = with(kSamplesFloor, kGrainOf99Hz)},
      {.name = "programs",
       .profile = kSamplesKind,
       .of_programs = true,
       .parameters = with(kSamplesFloor, kGrainOf99Hz)},
      {.name = kCallsKind, .profile = kCallsKind, .needs_training = true, .parameters = with(kCallsFloor, 1)},
      {.name = kCallTimeKind, .profile = kCallTimeKind, .parameters = with(kTimeFloor, kNanosecond)},
      {.name = kKernelCallsKind, .profile = kKernelCallsKind, .parameters = with(kKernelCallsFloor, 1)},
      {.name = kKernelTimeKind, .profile = kKernelTimeKind, .parameters = with(kTimeFloor, kNanosecond)}};
  for (BehaviourComparison& one : all) {
    one.parameters.weighs_functions = one.of_programs || one.profile == kKernelCallsKind;
  }
  return all;
}

ServerGroups::ServerGroups(const Grouping& grouping) : grouping_(grouping) {
  for (const GroupKind kind :
       {GroupKind::kHosts, GroupKind::kDaemons, GroupKind::kInterfaces, GroupKind::kDisks}) {
    for (const PeerGroup& group : grouping.groups) {
      if (group.kind != kind || group.second_only) continue;
      for (const ComponentId member : group.members) groups_.try_emplace(grouping[member].host, group.name);
    }
  }
}

bool ServerGroups::is_compared(std::string_view host) const {
  return grouping_.resolver.endpoint(std::string(host)).party != SeriesResolver::Party::kClient;
}

std::string_view ServerGroups::group_of(const std::string& host) const {
  const auto known = groups_.find(host);
  return known == groups_.end() ? std::string_view() : known->second;
}

std::map<std::string_view, std::vector<std::size_t>> ServerGroups::members(
    const FeatureWindow& window) const {
  std::map<std::string_view, std::vector<std::size_t>> members;
  for (std::size_t host = 0; host < window.hosts.size(); ++host) {
    members[group_of(window.hosts[host])].push_back(host);
  }
  return members;
}

BehaviourComparer::BehaviourComparer(const Grouping& grouping, std::vector<BehaviourComparison> comparisons)
    : servers_(grouping), comparisons_(std::move(comparisons)), groups_(comparisons_.size()) {
  for (const BehaviourComparison& comparison : comparisons_) {
    if (std::ranges::find(profiles_, comparison.profile, &Profile::kind) != profiles_.end()) continue;
    profiles_.push_back(
        {.kind = comparison.profile, .windows = FeatureWindows(comparison.parameters.unit.floor)});
  }
}

void BehaviourComparer::add(const ProfileTable& profile) {
  const auto of_kind = std::ranges::find(profiles_, profile.kind(), &Profile::kind);
  if (of_kind == profiles_.end() || profile.size() == 0 || !servers_.is_compared(profile.host())) return;
  of_kind->windows.add(profile);
}

void BehaviourComparer::forget_words(std::string_view profile) {
  for (std::size_t c = 0; c < comparisons_.size(); ++c) {
    if (comparisons_[c].profile != profile) continue;
    for (auto& [group, follower] : groups_[c]) follower.forget_functions();
  }
}

void BehaviourComparer::compare_in_all(Profile& profile, const FeatureWindow& functions,
                                       const Listener& listener) {
  const FeatureWindow programs = profile.windows.by_program(functions);
  if (listener.window) listener.window(profile.kind, functions);
  for (std::size_t c = 0; c < comparisons_.size(); ++c) {
    if (comparisons_[c].profile != profile.kind) continue;
    compare(c, comparisons_[c].of_programs ? programs : functions, profile.windows.words(), listener);
  }
}

void BehaviourComparer::compare(std::size_t comparison, const FeatureWindow& window, const Dictionary& words,
                                const Listener& listener) {
  for (const auto& [group, hosts] : servers_.members(window)) {
    BehaviourFollower& follower =
        groups_[comparison].try_emplace(group, comparisons_[comparison].parameters).first->second;
    const auto verdicts = follower.follow(window, hosts, words);
    if (!verdicts.empty()) listener.judged({comparison, group, window, follower, verdicts});
  }
}

void BehaviourComparer::take(WallTime until, const Listener& listener) {
  for (Profile& profile : profiles_) {
    if (std::exchange(profile.generation, profile.windows.generation()) != profile.windows.generation()) {
      forget_words(profile.kind);
      if (listener.words_changed) listener.words_changed(profile.kind);
    }
    for (const FeatureWindow& functions : profile.windows.take(until)) {
      compare_in_all(profile, functions, listener);
    }
  }
}

const Dictionary& BehaviourComparer::words(std::string_view profile) const {
  const auto of_kind = std::ranges::find(profiles_, profile, &Profile::kind);
  LAGGARD_CHECK(of_kind != profiles_.end());
  return of_kind->windows.words();
}

}  // namespace laggard::detect
