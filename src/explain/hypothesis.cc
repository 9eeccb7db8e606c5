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

#include "explain/companions.h"
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

}  // namespace

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

void absorb(Hypothesis& hypothesis, const Hypothesis& other) {
  hypothesis.findings.insert(hypothesis.findings.end(), other.findings.begin(), other.findings.end());
  std::vector<std::size_t>& subjects = hypothesis.blamed.subjects;
  subjects.insert(subjects.end(), other.blamed.subjects.begin(), other.blamed.subjects.end());
  std::sort(subjects.begin(), subjects.end());
  subjects.erase(std::unique(subjects.begin(), subjects.end()), subjects.end());
}

std::int64_t seen_until(const Hypothesis& hypothesis) {
  std::optional<std::int64_t> last;
  for (const Finding* finding : hypothesis.findings) {
    if (!finding->retrospective) last = std::max(last.value_or(finding->last), finding->last);
  }
  return last.value_or(hypothesis.last);
}

namespace {

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

 private:
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
  if (options.companions) hypotheses = join_companions(std::move(hypotheses), grouping, options);
  add_failovers(hypotheses, standing_in, options);
  return hypotheses;
}

}  // namespace laggard::explain
