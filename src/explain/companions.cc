#include "explain/companions.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

#include "explain/part_map.h"

namespace laggard::explain {

namespace {

constexpr double kSinglesOut = 3;
constexpr double kMostDwarfed = 1.5;  ///< Times the peers' wait.
constexpr std::size_t kLeastCompanions = 2;

bool has_own_work(const Hypothesis& hypothesis) {
  return std::ranges::any_of(hypothesis.findings,
                             [](const Finding* each) { return each->role == Role::kThroughput; });
}

/// By how much the work of one component of a hypothesis waited longer than its peers', ms times windows: of
/// the one that waited most, without retrospective findings.
double excess_wait(const Hypothesis& hypothesis) {
  std::map<SubjectKey, double> waits;
  double most = 0;
  for (const Finding* finding : hypothesis.findings) {
    const Fact* windows = finding->fact(kAnomalousWindows);
    const Evidence& evidence = finding->evidence;
    if (!finding->is_slow() || finding->retrospective || windows == nullptr) continue;
    if (!evidence.level || !evidence.peers) continue;
    double& wait = waits[subject_key(*finding)];
    wait += windows->own * std::max(0.0, *evidence.level - *evidence.peers);
    most = std::max(most, wait);
  }
  return most;
}

/// What the requests of one component took and what its peers' did, ms, in the mean over the windows in which
/// that was anomalous; of reads, where they were looked at by themselves.
struct Wait {
  double own = 0;
  double peers = 0;
  double windows = 0;
  bool reads = false;
  bool confirmed = false;

  [[nodiscard]] double excess() const { return windows > 0 ? (own - peers) / windows : 0; }

  void add(const Finding& finding) {
    const Fact* anomalous = finding.fact(kAnomalousWindows);
    const Evidence& evidence = finding.evidence;
    if (!finding.is_slow() || anomalous == nullptr || !evidence.level || !evidence.peers) return;
    confirmed = confirmed || finding.confirmed();
    const bool of_reads = finding.is_of_reads();
    if (reads && !of_reads) return;
    if (of_reads && !reads) own = peers = windows = 0;
    reads = of_reads;
    own += anomalous->own * *evidence.level;
    peers += anomalous->own * *evidence.peers;
    windows += anomalous->own;
  }
};

using Waits = std::map<std::size_t, Wait>;  ///< Per component.

Waits waits_of(const Hypothesis& hypothesis) {
  Waits waits;
  for (const Finding* finding : hypothesis.findings) {
    if (finding->is_of_component()) waits[finding->component].add(*finding);
  }
  return waits;
}

/// The array to which all that is slow belongs; null when something else is found, too.
const Part* array_of_slow(const Hypothesis& hypothesis, const Grouping& grouping) {
  const Part* array = nullptr;
  bool slow = false;
  for (const Finding* finding : hypothesis.findings) {
    if (!finding->is_of_component() || finding->is_lost()) return nullptr;
    slow = slow || finding->is_slow();
    const Part* of = grouping.part_of(grouping.components[finding->component], PartKind::kArray);
    if (of == nullptr || (array != nullptr && *of != *array)) return nullptr;
    array = of;
  }
  return slow ? array : nullptr;
}

/// See join_companions.
void single_out(Hypothesis& hypothesis, const Grouping& grouping, const IncidentOptions& options) {
  if (!is_of_many_luns(hypothesis) || array_of_slow(hypothesis, grouping) == nullptr) return;
  const Waits waits = waits_of(hypothesis);
  if (waits.size() < 1 + kLeastCompanions) return;
  const auto most =
      std::ranges::max_element(waits, {}, [](const Waits::value_type& each) { return each.second.excess(); });
  std::vector<double> others;
  for (auto each = waits.begin(); each != waits.end(); ++each) {
    if (each != most) others.push_back(each->second.excess());
  }
  const auto middle = others.begin() + static_cast<std::ptrdiff_t>(others.size() / 2);
  std::ranges::nth_element(others, middle);
  const Part* lun = grouping.part_of(grouping.components[most->first], PartKind::kLun);
  if (lun == nullptr || !most->second.confirmed) return;
  if (!(most->second.excess() > 0) || most->second.excess() < kSinglesOut * *middle) return;
  hypothesis.blamed.blame = *lun;
  hypothesis.blamed.alternatives.clear();
  hypothesis.companions = others.size();
  measure(hypothesis, options);
}

class Joiner {
 public:
  Joiner(std::vector<Hypothesis> hypotheses, const Grouping& grouping, const IncidentOptions& options)
      : options_(options), taken_(hypotheses.size(), false) {
    std::vector<std::pair<double, Hypothesis>> by_wait;
    by_wait.reserve(hypotheses.size());
    for (Hypothesis& hypothesis : hypotheses)
      by_wait.emplace_back(excess_wait(hypothesis), std::move(hypothesis));
    std::stable_sort(by_wait.begin(), by_wait.end(), [](const auto& a, const auto& b) {
      return std::pair(a.first, a.second.strength) > std::pair(b.first, b.second.strength);
    });
    for (auto& [wait, hypothesis] : by_wait) {
      arrays_.push_back(array_of_slow(hypothesis, grouping));
      hypotheses_.push_back(std::move(hypothesis));
    }
  }

  std::vector<Hypothesis> run() {
    std::vector<Hypothesis> joined;
    for (std::size_t leader = 0; leader < hypotheses_.size(); ++leader) {
      if (taken_[leader]) continue;
      Hypothesis& hypothesis = hypotheses_[leader];
      std::vector<std::size_t> with = companions_of(leader);
      for (const std::size_t e : with) hypothesis.companions += subjects(hypotheses_[e]);
      if (hypothesis.companions >= kLeastCompanions) {
        for (const std::size_t e : dwarfed_by(leader, with)) with.push_back(e);
      }
      for (const std::size_t e : with) {
        absorb(hypothesis, hypotheses_[e]);
        taken_[e] = true;
      }
      if (!with.empty()) measure(hypothesis, options_);
      joined.push_back(std::move(hypothesis));
    }
    return joined;
  }

 private:
  static std::size_t subjects(const Hypothesis& hypothesis) { return hypothesis.blamed.subjects.size(); }

  [[nodiscard]] bool may_lead(std::size_t leader) const {
    return arrays_[leader] != nullptr && is_of_one_lun(hypotheses_[leader]) &&
           (hypotheses_[leader].companions > 0 || !has_own_work(hypotheses_[leader]));
  }

  /// Those behind the leader that are slow without more work, of its array.
  [[nodiscard]] std::vector<std::size_t> neighbours_of(std::size_t leader) const {
    std::vector<std::size_t> neighbours;
    for (std::size_t e = leader + 1; e < hypotheses_.size(); ++e) {
      const bool same = !taken_[e] && arrays_[e] != nullptr && *arrays_[e] == *arrays_[leader];
      if (same && !has_own_work(hypotheses_[e])) neighbours.push_back(e);
    }
    return neighbours;
  }

  /// The hypotheses behind the leader, whose work waited less, that begin together while it lasts.
  [[nodiscard]] std::vector<std::size_t> companions_of(std::size_t leader) const {
    if (!may_lead(leader)) return {};
    const std::int64_t leader_end = seen_until(hypotheses_[leader]);
    std::vector<std::size_t> during;
    for (const std::size_t e : neighbours_of(leader)) {
      const std::int64_t length = seen_until(hypotheses_[e]) - hypotheses_[e].first;
      const std::int64_t both = std::min(leader_end, seen_until(hypotheses_[e])) - hypotheses_[e].first;
      const bool then = hypotheses_[e].first + options_.slack() >= hypotheses_[leader].first &&
                        2 * both >= length && 4 * length >= leader_end - hypotheses_[leader].first;
      if (then) during.push_back(e);
    }
    std::vector<std::size_t> most;
    std::size_t most_subjects = 0;
    for (const std::size_t one : during) {
      std::vector<std::size_t> with;
      std::size_t count = 0;
      for (const std::size_t other : during) {
        const std::int64_t apart = hypotheses_[other].first - hypotheses_[one].first;
        if (apart < 0 || apart > 2 * static_cast<std::int64_t>(options_.shift)) continue;
        with.push_back(other);
        count += subjects(hypotheses_[other]);
      }
      if (count > most_subjects) {
        most = std::move(with);
        most_subjects = count;
      }
    }
    if (most_subjects < kLeastCompanions || are_anothers(leader, most)) most.clear();
    return most;
  }

  /// By how much the times of a LUN differ from those of others, in cells: the sum over beginning and end.
  [[nodiscard]] std::int64_t apart(std::size_t lun, const std::vector<std::size_t>& others) const {
    std::vector<std::int64_t> first;
    std::vector<std::int64_t> last;
    for (const std::size_t other : others) {
      first.push_back(hypotheses_[other].first);
      last.push_back(seen_until(hypotheses_[other]));
    }
    const auto middle = static_cast<std::ptrdiff_t>(first.size() / 2);
    std::nth_element(first.begin(), first.begin() + middle, first.end());
    std::nth_element(last.begin(), last.begin() + middle, last.end());
    return std::abs(hypotheses_[lun].first - first[static_cast<std::size_t>(middle)]) +
           std::abs(seen_until(hypotheses_[lun]) - last[static_cast<std::size_t>(middle)]);
  }

  /// Whether the companions are those of another slow LUN of the array, whose work waited longer than theirs,
  /// too: one that was slow when they were, while the leader began or ended at another time.
  [[nodiscard]] bool are_anothers(std::size_t leader, const std::vector<std::size_t>& companions) const {
    const std::int64_t own = apart(leader, companions) - 2 * options_.slack();
    const std::vector<std::size_t> neighbours = neighbours_of(leader);
    return std::ranges::any_of(neighbours, [&](std::size_t other) {
      return other < companions.front() && is_of_one_lun(hypotheses_[other]) &&
             apart(other, companions) < own;
    });
  }

  /// See join_companions. \param besides  companions that it has already.
  [[nodiscard]] std::vector<std::size_t> dwarfed_by(std::size_t leader,
                                                    const std::vector<std::size_t>& besides) const {
    double excess = 0;
    for (const auto& [component, wait] : waits_of(hypotheses_[leader]))
      excess = std::max(excess, wait.excess());
    std::vector<std::size_t> dwarfed;
    for (const std::size_t e : neighbours_of(leader)) {
      const bool then = hypotheses_[e].first + options_.slack() >= hypotheses_[leader].first &&
                        hypotheses_[e].first <= seen_until(hypotheses_[leader]);
      if (!then || std::ranges::find(besides, e) != besides.end()) continue;
      const Waits waits = waits_of(hypotheses_[e]);
      const bool is_little = std::ranges::all_of(waits, [&](const Waits::value_type& each) {
        const Wait& wait = each.second;
        return wait.own <= kMostDwarfed * wait.peers && kSinglesOut * wait.excess() <= excess;
      });
      if (is_little) dwarfed.push_back(e);
    }
    return dwarfed;
  }

  const IncidentOptions& options_;
  std::vector<bool> taken_;
  std::vector<Hypothesis> hypotheses_;  ///< Whose work waited most first.
  std::vector<const Part*> arrays_;     ///< Of each, see array_of_slow.
};

}  // namespace

std::vector<Hypothesis> join_companions(std::vector<Hypothesis> hypotheses, const Grouping& grouping,
                                        const IncidentOptions& options) {
  for (Hypothesis& hypothesis : hypotheses) single_out(hypothesis, grouping, options);
  return Joiner(std::move(hypotheses), grouping, options).run();
}

}  // namespace laggard::explain
