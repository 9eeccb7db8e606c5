#include "explain/hypothesis.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "explain/failover.h"

namespace laggard::explain {

namespace {

/// Which of the components' times is the hypothesis's: that of the one in so many that was first.
constexpr std::size_t kOneIn = 8;

template <class T>
std::optional<T> early(std::vector<T> times) {
  if (times.empty()) return std::nullopt;
  const auto at = times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) / kOneIn);
  std::nth_element(times.begin(), at, times.end());
  return *at;
}

void take_earlier(std::optional<WallTime>& earliest, const std::optional<WallTime>& t) {
  if (t && (!earliest || *t < *earliest)) earliest = t;
}

/// The times of one component.
struct Beginning {
  std::optional<WallTime> since;
  std::optional<WallTime> faulty;
  std::optional<WallTime> persistent;
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
};

/// When the sums over the components reach either; only of several components.
std::optional<WallTime> reached_together(const std::vector<const Finding*>& findings, double least_severity,
                                         std::int64_t least_persistence) {
  struct Step {
    SubjectKey subject;
    Growth growth;
  };
  std::vector<Step> steps;
  for (const Finding* finding : findings) {
    for (const Growth& growth : finding->growth) steps.push_back({subject_key(*finding), growth});
  }
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Step& a, const Step& b) { return a.growth.at < b.growth.at; });
  std::map<SubjectKey, Growth> most;
  double severity = 0;
  std::int64_t persistence = 0;
  for (const Step& step : steps) {
    Growth& mine = most[step.subject];
    const double more_severity = std::max(0.0, step.growth.severity - mine.severity);
    const auto more_persistence = std::max<std::int64_t>(0, step.growth.persistence - mine.persistence);
    mine.severity += more_severity;
    mine.persistence += more_persistence;
    severity += more_severity;
    persistence += more_persistence;
    if (most.size() > 1 && (severity >= least_severity || persistence >= least_persistence))
      return step.growth.at;
  }
  return std::nullopt;
}

std::optional<WallTime> confirmed_together(const std::vector<const Finding*>& findings,
                                           const IncidentOptions& options) {
  return reached_together(findings, options.limits.confirm_severity, options.confirm_persistence);
}

/// Of all components; what is retrospective counts only for those that nothing else saw.
std::map<SubjectKey, Beginning> beginnings_of(const std::vector<const Finding*>& findings) {
  std::map<SubjectKey, Beginning> seen;
  std::map<SubjectKey, Beginning> gathered;
  for (const Finding* finding : findings) {
    Beginning& mine = (finding->retrospective ? gathered : seen)[subject_key(*finding)];
    take_earlier(mine.since, finding->since);
    take_earlier(mine.faulty, finding->faulty_since);
    take_earlier(mine.persistent, finding->persistent_since);
    mine.first = std::min(mine.first, finding->first);
  }
  seen.merge(gathered);
  return seen;
}

void measure(Hypothesis& hypothesis, const IncidentOptions& options) {
  hypothesis.last = std::numeric_limits<std::int64_t>::min();
  const bool several = hypothesis.blamed.blame.kind.spec().reach >= 1 && options.joint_confirmation;
  hypothesis.confirmed_since = several ? confirmed_together(hypothesis.findings, options) : std::nullopt;
  for (const Finding* finding : hypothesis.findings) {
    take_earlier(hypothesis.confirmed_since, finding->confirmed_since);
    hypothesis.strength = std::max(hypothesis.strength, finding->strength);
    if (finding->last > hypothesis.last) {
      hypothesis.last = finding->last;
      hypothesis.until = finding->until;
    }
    hypothesis.open = hypothesis.open || finding->open;
  }
  std::vector<WallTime> since;
  std::vector<WallTime> faulty;
  std::vector<WallTime> persistent;
  std::vector<std::int64_t> first;
  for (const auto& [subject, beginning] : beginnings_of(hypothesis.findings)) {
    since.push_back(*beginning.since);
    faulty.push_back(*beginning.faulty);
    if (beginning.persistent) persistent.push_back(*beginning.persistent);
    first.push_back(beginning.first);
  }
  hypothesis.since = *early(std::move(since));
  hypothesis.persistent_since = early(std::move(persistent));
  hypothesis.first = *early(std::move(first));
  std::optional<WallTime> earliest = early(std::move(faulty));
  if (several) {
    const auto together = reached_together(hypothesis.findings, options.limits.gate_severity,
                                           std::numeric_limits<std::int64_t>::max());
    if (together > hypothesis.since) take_earlier(earliest, together);
  }
  hypothesis.faulty_since = *earliest;
  // One of them that was confirmed for itself before says nothing about the part.
  if (hypothesis.confirmed_since)
    hypothesis.confirmed_since = std::max(*hypothesis.confirmed_since, hypothesis.faulty_since);
}

class HypothesisMaker {
 public:
  HypothesisMaker(const Grouping& grouping, std::span<const Finding> findings, const IncidentOptions& options)
      : map_(grouping, findings), options_(options), shift_(static_cast<std::int64_t>(options.shift)) {}

  /// \param passed_over  affected, but never seen themselves.
  [[nodiscard]] std::vector<Hypothesis> explain(const std::vector<const Finding*>& findings,
                                                const std::vector<AffectedSpan>& passed_over) const {
    std::vector<AffectedSpan> spans;
    spans.reserve(findings.size() + passed_over.size());
    for (const Finding* finding : findings) spans.push_back(affected_span(map_, *finding, shift_));
    spans.insert(spans.end(), passed_over.begin(), passed_over.end());
    std::vector<Hypothesis> hypotheses;
    for (Episode& episode : find_episodes(map_, spans, {shift_, options_.slack(), options_.recurrence()})) {
      Hypothesis hypothesis;
      hypothesis.blamed = std::move(episode.blamed);
      for (const std::size_t t : episode.spans) {
        if (t < findings.size()) hypothesis.findings.push_back(findings[t]);
      }
      if (hypothesis.findings.empty()) continue;
      measure(hypothesis, options_);
      hypotheses.push_back(std::move(hypothesis));
    }
    return hypotheses;
  }

  [[nodiscard]] std::vector<Hypothesis> explain_carefully(
      const std::vector<const Finding*>& findings, const std::vector<AffectedSpan>& passed_over) const {
    std::vector<Hypothesis> careful;
    for (Hypothesis& hypothesis : explain(findings, passed_over)) {
      std::set<SubjectKey> sure;
      for (const Finding* finding : hypothesis.findings) {
        if (finding->confirmed()) sure.insert(subject_key(*finding));
      }
      std::vector<const Finding*> confirmed;
      std::vector<const Finding*> suspected;
      for (const Finding* finding : hypothesis.findings) {
        (sure.contains(subject_key(*finding)) ? confirmed : suspected).push_back(finding);
      }
      if (confirmed.empty() || suspected.empty() || convict(hypothesis, confirmed, suspected)) {
        careful.push_back(std::move(hypothesis));
        continue;
      }
      for (const auto& kind : {confirmed, suspected}) {
        for (Hypothesis& apart : explain(kind, passed_over)) careful.push_back(std::move(apart));
      }
    }
    return careful;
  }

  /// The same part blamed again after a pause.
  [[nodiscard]] std::vector<Hypothesis> join_recurrences(std::vector<Hypothesis> hypotheses) const {
    const std::int64_t pause = options_.recurrence();
    std::stable_sort(hypotheses.begin(), hypotheses.end(),
                     [](const Hypothesis& a, const Hypothesis& b) { return a.first < b.first; });
    std::vector<Hypothesis> joined;
    for (Hypothesis& hypothesis : hypotheses) {
      const auto same = std::find_if(joined.begin(), joined.end(), [&](const Hypothesis& earlier) {
        return earlier.blamed.blame == hypothesis.blamed.blame && hypothesis.first <= earlier.last + pause &&
               earlier.first <= hypothesis.last + pause;
      });
      if (same == joined.end()) {
        joined.push_back(std::move(hypothesis));
        continue;
      }
      const WallTime since = same->since;
      absorb(*same, hypothesis);
      measure(*same, options_);
      same->since = std::min(since, same->since);
    }
    return joined;
  }

  /// See make_hypotheses.
  [[nodiscard]] std::vector<Hypothesis> join_cascades(std::vector<Hypothesis> hypotheses) const {
    for (Hypothesis& loss : hypotheses) {
      if (!lost_at(loss)) continue;
      std::optional<std::int64_t> began;
      for (const Hypothesis& slowness : hypotheses) {
        if (ends_in(slowness, loss) && slow_components(slowness) >= kSeveral)
          began = std::min(began.value_or(slowness.first), slowness.first);
      }
      if (!began) continue;
      for (Hypothesis& slowness : hypotheses) {
        if (slowness.first + options_.slack() < *began || !ends_in(slowness, loss)) continue;
        if (slowness.blamed.blame.kind.spec().reach > loss.blamed.blame.kind.spec().reach)
          loss.blamed.blame = slowness.blamed.blame;
        absorb(loss, slowness);
        slowness.findings.clear();
      }
      measure(loss, options_);
    }
    std::erase_if(hypotheses, [](const Hypothesis& each) { return each.findings.empty(); });
    return hypotheses;
  }

  /// See make_hypotheses.
  [[nodiscard]] std::vector<Hypothesis> join_companions(std::vector<Hypothesis> hypotheses,
                                                        const Grouping& grouping) const {
    std::vector<std::pair<double, Hypothesis>> by_wait;
    by_wait.reserve(hypotheses.size());
    for (Hypothesis& hypothesis : hypotheses)
      by_wait.emplace_back(excess_wait(hypothesis), std::move(hypothesis));
    std::stable_sort(by_wait.begin(), by_wait.end(), [](const auto& a, const auto& b) {
      return std::pair(a.first, a.second.strength) > std::pair(b.first, b.second.strength);
    });
    std::transform(by_wait.begin(), by_wait.end(), hypotheses.begin(),
                   [](auto& each) { return std::move(each.second); });
    std::vector<bool> taken(hypotheses.size(), false);
    std::vector<Hypothesis> joined;
    for (std::size_t d = 0; d < hypotheses.size(); ++d) {
      if (taken[d]) continue;
      const std::vector<std::size_t> with = companions_of(hypotheses, taken, d, grouping);
      for (const std::size_t e : with) {
        absorb(hypotheses[d], hypotheses[e]);
        taken[e] = true;
      }
      hypotheses[d].companions = with.size();
      if (!with.empty()) measure(hypotheses[d], options_);
      joined.push_back(std::move(hypotheses[d]));
    }
    return joined;
  }

 private:
  static void absorb(Hypothesis& hypothesis, const Hypothesis& other) {
    hypothesis.findings.insert(hypothesis.findings.end(), other.findings.begin(), other.findings.end());
    std::vector<std::size_t>& subjects = hypothesis.blamed.subjects;
    subjects.insert(subjects.end(), other.blamed.subjects.begin(), other.blamed.subjects.end());
    std::sort(subjects.begin(), subjects.end());
    subjects.erase(std::unique(subjects.begin(), subjects.end()), subjects.end());
  }

  static constexpr std::size_t kSeveral = 3;

  static std::size_t slow_components(const Hypothesis& hypothesis) {
    std::set<SubjectKey> slow;
    for (const Finding* finding : hypothesis.findings) {
      if (finding->is_slow()) slow.insert(subject_key(*finding));
    }
    return slow.size();
  }

  /// When attachments were lost; nothing when none was.
  static std::optional<std::int64_t> lost_at(const Hypothesis& hypothesis) {
    std::vector<std::int64_t> first;
    for (const Finding* finding : hypothesis.findings) {
      if (began_lost(*finding)) first.push_back(finding->first);
    }
    return early(std::move(first));
  }

  /// It was slow until attachments of the same part were lost.
  [[nodiscard]] bool ends_in(const Hypothesis& slowness, const Hypothesis& loss) const {
    const std::optional<std::int64_t> at = lost_at(loss);
    if (!at || slowness.findings.empty() || lost_at(slowness)) return false;
    const bool until_then =
        slowness.first + shift_ <= *at && std::abs(*at - seen_until(slowness)) <= options_.slack();
    return until_then && (map_.runs_through(loss.blamed.subjects, slowness.blamed.blame) ||
                          map_.runs_through(slowness.blamed.subjects, loss.blamed.blame));
  }

  /// The array of a hypothesis that is about one slow LUN; null for others.
  static const Part* array_of_slow_lun(const Hypothesis& hypothesis, const Grouping& grouping) {
    const PartKind kind = hypothesis.blamed.blame.kind;
    if (kind != PartKind::kLun && kind != PartKind::kAttachment) return nullptr;
    if (std::ranges::none_of(hypothesis.findings, &Finding::is_slow)) return nullptr;
    const Finding& first = *hypothesis.findings.front();
    if (!first.is_of_component()) return nullptr;
    return grouping.part_of(grouping.components[first.component], PartKind::kArray);
  }

  /// The hypotheses behind the leader, whose work waited less, that begin together while it lasts; at least
  /// two, else none.
  [[nodiscard]] std::vector<std::size_t> companions_of(const std::vector<Hypothesis>& hypotheses,
                                                       const std::vector<bool>& taken, std::size_t leader,
                                                       const Grouping& grouping) const {
    const Part* array = array_of_slow_lun(hypotheses[leader], grouping);
    if (array == nullptr || has_own_work(hypotheses[leader])) return {};
    const std::int64_t leader_end = seen_until(hypotheses[leader]);
    std::vector<std::size_t> during;
    for (std::size_t e = leader + 1; e < hypotheses.size(); ++e) {
      const Part* other = taken[e] ? nullptr : array_of_slow_lun(hypotheses[e], grouping);
      if (other == nullptr || *other != *array) continue;
      const std::int64_t length = seen_until(hypotheses[e]) - hypotheses[e].first;
      const std::int64_t both = std::min(leader_end, seen_until(hypotheses[e])) - hypotheses[e].first;
      const bool then = hypotheses[e].first + options_.slack() >= hypotheses[leader].first &&
                        2 * both >= length && 4 * length >= leader_end - hypotheses[leader].first;
      if (then && !has_own_work(hypotheses[e])) during.push_back(e);
    }
    std::vector<std::size_t> most;
    for (const std::size_t one : during) {
      std::vector<std::size_t> with;
      std::copy_if(during.begin(), during.end(), std::back_inserter(with), [&](std::size_t other) {
        const std::int64_t apart = hypotheses[other].first - hypotheses[one].first;
        return apart >= 0 && apart <= 2 * shift_;
      });
      if (with.size() > most.size()) most = std::move(with);
    }
    if (most.size() < 2 || are_anothers(hypotheses, taken, leader, most, grouping)) most.clear();
    return most;
  }

  /// By how much the times of a LUN differ from those of others, in cells: the sum over beginning and end.
  static std::int64_t apart(const std::vector<Hypothesis>& hypotheses, std::size_t lun,
                            const std::vector<std::size_t>& others) {
    std::vector<std::int64_t> first;
    std::vector<std::int64_t> last;
    for (const std::size_t other : others) {
      first.push_back(hypotheses[other].first);
      last.push_back(seen_until(hypotheses[other]));
    }
    const auto middle = static_cast<std::ptrdiff_t>(first.size() / 2);
    std::nth_element(first.begin(), first.begin() + middle, first.end());
    std::nth_element(last.begin(), last.begin() + middle, last.end());
    return std::abs(hypotheses[lun].first - first[static_cast<std::size_t>(middle)]) +
           std::abs(seen_until(hypotheses[lun]) - last[static_cast<std::size_t>(middle)]);
  }

  /// Whether the companions are those of another slow LUN of the array, whose work waited longer than theirs,
  /// too: one that was slow when they were, while the leader began or ended at another time.
  [[nodiscard]] bool are_anothers(const std::vector<Hypothesis>& hypotheses, const std::vector<bool>& taken,
                                  std::size_t leader, const std::vector<std::size_t>& companions,
                                  const Grouping& grouping) const {
    const Part* array = array_of_slow_lun(hypotheses[leader], grouping);
    const std::int64_t own = apart(hypotheses, leader, companions) - 2 * options_.slack();
    for (std::size_t other = leader + 1; other < companions.front(); ++other) {
      const Part* with = taken[other] ? nullptr : array_of_slow_lun(hypotheses[other], grouping);
      const bool same = with != nullptr && *with == *array && !has_own_work(hypotheses[other]);
      if (same && apart(hypotheses, other, companions) < own) return true;
    }
    return false;
  }

  /// When it was seen last, retrospective findings left out: they go on for as long as they look back.
  static std::int64_t seen_until(const Hypothesis& hypothesis) {
    std::optional<std::int64_t> last;
    for (const Finding* finding : hypothesis.findings) {
      if (!finding->retrospective) last = std::max(last.value_or(finding->last), finding->last);
    }
    return last.value_or(hypothesis.last);
  }

  /// By how much its work waited longer than its peers', ms times windows; without retrospective findings.
  static double excess_wait(const Hypothesis& hypothesis) {
    double wait = 0;
    for (const Finding* finding : hypothesis.findings) {
      const Fact* windows = finding->fact(kAnomalousWindows);
      const Evidence& evidence = finding->evidence;
      if (!finding->is_slow() || finding->retrospective || windows == nullptr) continue;
      if (evidence.level && evidence.peers)
        wait += windows->own * std::max(0.0, *evidence.level - *evidence.peers);
    }
    return wait;
  }

  static bool has_own_work(const Hypothesis& hypothesis) {
    return std::ranges::any_of(hypothesis.findings,
                               [](const Finding* each) { return each->role == Role::kThroughput; });
  }

  /// Confirmed components alone point to the same part, or the suspected ones are many enough to confirm each
  /// other.
  [[nodiscard]] bool convict(const Hypothesis& hypothesis, const std::vector<const Finding*>& confirmed,
                             const std::vector<const Finding*>& suspected) const {
    const std::vector<Hypothesis> alone = explain(confirmed, {});
    const bool same = std::any_of(alone.begin(), alone.end(), [&](const Hypothesis& other) {
      return other.blamed.blame == hypothesis.blamed.blame;
    });
    if (same) return true;
    return confirmed_together(suspected, options_).has_value();
  }

  PartMap map_;
  const IncidentOptions& options_;
  std::int64_t shift_;
};

/// Gives each failover to the hypothesis that has what it stands in for, at the time.
void add_failovers(std::vector<Hypothesis>& hypotheses, const std::vector<Failover>& failovers,
                   const IncidentOptions& options) {
  const auto shift = static_cast<std::int64_t>(options.shift);
  for (const Failover& each : failovers) {
    const std::int64_t load_last = each.finding->last + shift - 1;
    for (Hypothesis& hypothesis : hypotheses) {
      const auto& subjects = hypothesis.blamed.subjects;
      const bool has = std::binary_search(subjects.begin(), subjects.end(), each.instead_of);
      const bool then = each.finding->first <= hypothesis.last + options.slack() &&
                        hypothesis.first <= load_last + options.slack();
      if (!has || !then) continue;
      hypothesis.failovers.push_back(each);
      break;
    }
  }
}

}  // namespace

std::vector<Hypothesis> make_hypotheses(const Grouping& grouping, std::span<const Finding> findings,
                                        const IncidentOptions& options) {
  Failovers failovers;
  if (options.failovers) {
    failovers = find_failovers(grouping, findings, static_cast<std::int64_t>(options.shift), options.slack());
  }
  std::vector<const Finding*> own;
  std::vector<Failover> standing_in;
  for (const Finding& finding : findings) {
    const auto failover = failovers.instead_of.find(&finding);
    if (failover == failovers.instead_of.end()) {
      own.push_back(&finding);
    } else {
      standing_in.push_back({&finding, failover->second});
    }
  }
  const HypothesisMaker maker(grouping, findings, options);
  std::vector<Hypothesis> hypotheses =
      maker.join_recurrences(maker.join_cascades(maker.explain_carefully(own, failovers.passed_over)));
  if (options.companions) hypotheses = maker.join_companions(std::move(hypotheses), grouping);
  add_failovers(hypotheses, standing_in, options);
  return hypotheses;
}

}  // namespace laggard::explain
