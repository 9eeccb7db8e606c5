#include "explain/incidents.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>

#include "explain/checks.h"
#include "explain/controller_queue.h"
#include "explain/hypothesis.h"
#include "explain/ids.h"
#include "explain/loss_cuts.h"
#include "explain/part_map.h"
#include "explain/patterns.h"

namespace laggard::explain {

namespace {

bool has_retransmissions(const Hypothesis& hypothesis) {
  return std::ranges::any_of(hypothesis.findings, [](const Finding* finding) {
    return finding->role == Role::kRetransmission || finding->fact(kRetransmissions) != nullptr;
  });
}

void take_cause(Incident& incident, const Suspect& suspect, std::span<const Rule> rules,
                const Grouping& grouping) {
  if (const Rule* rule = first_match(rules, suspect)) {
    incident.cause = rule->cause;
    incident.resource = rule->resource;
    incident.rule = rule->name;
    incident.why = explain(*rule, suspect, incident.blame.name);
    incident.check = checks_of(*rule, suspect, grouping);
    return;
  }
  incident.cause = "unknown";
  const std::optional<Resource> resource = suspect.findings.front()->resource;
  incident.resource = resource ? to_name(*resource) : "unknown";
  incident.rule = "none";
  const bool peers = std::ranges::any_of(
      suspect.findings, [](const Finding* finding) { return !finding->evidence.metric.empty(); });
  incident.why = fmt::format("{} {}, but no rule names a cause", incident.blame.name,
                             peers ? "differs from its peers" : "is not well");
}

/// Of each component, how many others there are in the group in which it may be accused.
std::vector<std::size_t> peer_counts(const Grouping& grouping) {
  std::vector<std::size_t> peers(grouping.components.size(), 0);
  for (const PeerGroup& group : grouping.groups) {
    if (group.second_only) continue;
    for (const ComponentId id : group.members) {
      peers[id.index()] = std::max(peers[id.index()], group.members.size() - 1);
    }
  }
  return peers;
}

/// Of a finding that does not confirm an incident, however long it goes on.
std::string why_not_confirmed(const Finding& finding, const IncidentOptions& options) {
  const double own_s = to_seconds(options.window_step()) * static_cast<double>(options.size) /
                       static_cast<double>(options.shift);
  const std::optional<double> window_s = finding.evidence.window_s;
  if (window_s && *window_s < own_s) {
    return fmt::format("seen in windows of {} s, in which the queues of healthy disks come and go, too",
                       *window_s);
  }
  return "was no faster before, as far as it was compared: sick, or other hardware";
}

/// Adds what the witness cannot tell from the part that is blamed to what else may be.
void add_alike(const Evidence& evidence, Incident& incident) {
  if (evidence.component != incident.blame.name) return;
  std::vector<Part>& alternatives = incident.alternatives;
  for (const Part& part : evidence.alike) {
    if (std::ranges::find(alternatives, part) == alternatives.end()) alternatives.push_back(part);
  }
}

Incident to_incident(const Hypothesis& hypothesis, const Grouping& grouping,
                     std::span<const std::size_t> peers, std::span<const Rule> rules,
                     const IncidentOptions& options) {
  Incident incident;
  incident.blame = hypothesis.blamed.blame;
  incident.alternatives = hypothesis.blamed.alternatives;
  incident.since = hypothesis.since;
  incident.faulty_since = hypothesis.faulty_since;
  incident.persistent_since = hypothesis.persistent_since;
  incident.confirmed_since = hypothesis.confirmed_since;
  if (!hypothesis.open) incident.until = hypothesis.until;
  incident.seen_until = hypothesis.until;
  incident.status = hypothesis.open ? IncidentStatus::kOpen : IncidentStatus::kClosed;
  if (hypothesis.confirmed_since) incident.state = IncidentState::kConfirmed;
  incident.as_ever =
      !hypothesis.confirmed_since && std::ranges::all_of(hypothesis.findings, &Finding::as_ever);
  // What goes on is no burst, whatever an earlier finding about it was.
  const bool withdrawn = !hypothesis.confirmed_since && !hypothesis.open &&
                         std::ranges::any_of(hypothesis.findings, &Finding::withdrawn);
  if (withdrawn) incident.status = IncidentStatus::kWithdrawn;
  bool trained = true;
  std::set<std::string> names;
  incident.evidence.reserve(hypothesis.findings.size() + hypothesis.failovers.size());
  for (const Finding* finding : hypothesis.findings) {
    names.insert(subject_name(grouping, *finding));
    incident.persistence = std::max(incident.persistence, static_cast<int>(finding->persistence));
    incident.severity = std::max(incident.severity, finding->severity);
    trained = trained && finding->trained;
    if (const Fact* posterior = finding->fact(kPosterior)) {
      incident.confidence = std::max(incident.confidence.value_or(0), posterior->own);
    }
    Evidence& evidence = incident.evidence.emplace_back(finding->evidence);
    add_alike(evidence, incident);
    if (finding->is_of_component()) evidence.peer_count = peers[finding->component];
    if (finding->as_ever && !hypothesis.confirmed_since) {
      evidence.note = why_not_confirmed(*finding, options);
    }
    if (finding->withdrawn && withdrawn) {
      evidence.note =
          "was confirmed, and withdrawn: it lasted for some hours, and has been like its peers since";
    }
  }
  for (const Failover& failover : hypothesis.failovers) {
    Evidence& evidence = incident.evidence.emplace_back(failover.finding->evidence);
    evidence.peer_count = peers[failover.finding->component];
    evidence.note = fmt::format("has load in place of {}", grouping.components[failover.instead_of].name);
  }
  incident.thresholds = trained ? ThresholdOrigin::kTrained : ThresholdOrigin::kSelf;
  incident.components.assign(names.begin(), names.end());
  std::stable_sort(incident.evidence.begin(), incident.evidence.end(),
                   [](const Evidence& a, const Evidence& b) { return a.score > b.score; });
  take_cause(
      incident,
      {hypothesis.findings, hypothesis.blamed.blame.kind, find_patterns(hypothesis, grouping, options)},
      rules, grouping);
  return incident;
}

bool concurrent(const Hypothesis& suspect, const Hypothesis& primary, const IncidentOptions& options) {
  const auto tail = static_cast<std::int64_t>(options.size + options.shift * (2 * options.k - 1));
  const auto head = static_cast<std::int64_t>(options.shift + options.size);
  return suspect.first <= primary.last + tail && suspect.last >= primary.first - head;
}

/// A mere suspicion explains nothing that is confirmed.
bool may_explain(const Hypothesis& primary, const Hypothesis& suspect, const IncidentOptions& options) {
  const bool surer = suspect.confirmed_since && !primary.confirmed_since;
  return !surer && concurrent(suspect, primary, options);
}

bool explained_by(const Hypothesis& suspect, const Hypothesis& primary, const IncidentOptions& options) {
  return may_explain(primary, suspect, options) && !has_retransmissions(suspect) &&
         suspect.strength <
             std::min(primary.strength * options.limits.secondary_share, options.limits.secondary_score);
}

/// Where the order of the rules first names a cause; their number for what none names.
std::size_t step_of(const Incident& incident, std::span<const Rule> rules) {
  const auto named = std::ranges::find(rules, incident.cause, &Rule::cause);
  return static_cast<std::size_t>(named - rules.begin());
}

/// F's checklist (IncidentOptions::halting).
void halt(std::span<const Hypothesis> hypotheses, std::span<const Rule> rules, const IncidentOptions& options,
          std::span<Incident> incidents) {
  std::vector<std::size_t> steps;
  for (const Incident& incident : incidents) steps.push_back(step_of(incident, rules));
  for (std::size_t later = 0; later < incidents.size(); ++later) {
    for (std::size_t first = 0; first < incidents.size(); ++first) {
      if (steps[first] < steps[later] && may_explain(hypotheses[first], hypotheses[later], options)) {
        incidents[later].status = IncidentStatus::kExplained;
      }
    }
  }
}

/// What an operator should read first: not explained, confirmed, still open, persistent, severe.
bool more_pressing(const Incident& a, const Incident& b) {
  const auto urgency = [](const Incident& incident) {
    return std::tuple(!is_accounted_for(incident), incident.state == IncidentState::kConfirmed,
                      incident.status == IncidentStatus::kOpen, incident.persistence, incident.severity);
  };
  return urgency(a) > urgency(b);
}

}  // namespace

std::vector<Incident> make_incidents(const Grouping& grouping, std::span<const Finding> findings,
                                     std::span<const Rule> rules, const IncidentOptions& options) {
  const std::optional<std::vector<Finding>> cut = cut_at_losses(grouping, findings, options);
  if (cut) findings = *cut;
  std::vector<Hypothesis> hypotheses = make_hypotheses(grouping, findings, options);
  std::stable_sort(hypotheses.begin(), hypotheses.end(),
                   [](const Hypothesis& a, const Hypothesis& b) { return a.strength > b.strength; });
  const std::vector<std::string> ids = incident_ids(hypotheses, grouping, options.window_step());
  const std::vector<std::size_t> peers = peer_counts(grouping);
  std::vector<Incident> incidents;
  std::vector<const Hypothesis*> primaries;
  for (std::size_t h = 0; h < hypotheses.size(); ++h) {
    const Hypothesis& hypothesis = hypotheses[h];
    Incident incident = to_incident(hypothesis, grouping, peers, rules, options);
    incident.id = ids[h];
    const bool secondary = std::any_of(primaries.begin(), primaries.end(), [&](const Hypothesis* primary) {
      return explained_by(hypothesis, *primary, options);
    });
    if (secondary) {
      incident.status = IncidentStatus::kExplained;
    } else if (!incident.as_ever && incident.status != IncidentStatus::kWithdrawn) {
      // Neither other hardware nor a burst explains anything else.
      primaries.push_back(&hypothesis);
    }
    incidents.push_back(std::move(incident));
  }
  if (options.halting) halt(hypotheses, rules, options, incidents);
  if (options.companions) explain_by_queues(grouping, hypotheses, options, incidents);
  std::stable_sort(incidents.begin(), incidents.end(), more_pressing);
  return incidents;
}

namespace {

/// Findings that hang together, as one.
struct Cluster {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  double strongest = 0;
  double weakest = std::numeric_limits<double>::infinity();
  bool settled = true;
};

class Clusters {
 public:
  explicit Clusters(std::size_t findings) : root_(findings) { std::iota(root_.begin(), root_.end(), 0U); }

  [[nodiscard]] std::size_t of(std::size_t finding) {
    while (root_[finding] != finding) finding = root_[finding] = root_[root_[finding]];
    return finding;
  }
  void join(std::size_t a, std::size_t b) { root_[of(a)] = of(b); }

 private:
  std::vector<std::size_t> root_;
};

/// Per part, the findings about components that run through it, by their beginning.
std::vector<std::vector<std::size_t>> by_part(const PartMap& map, std::span<const Finding> findings) {
  std::vector<std::vector<std::size_t>> of(map.parts().size());
  std::vector<std::size_t> order(findings.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::size_t f) { return findings[f].first; });
  for (const std::size_t f : order) {
    for (const std::size_t part : map.parts_of(map.subject_of(findings[f]))) of[part].push_back(f);
  }
  return of;
}

void join_what_follows(std::span<const std::size_t> members, std::span<const Finding> findings,
                       std::int64_t pause, Clusters& clusters) {
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Finding& finding = findings[members[i]];
    if (i > 0 && finding.first <= last + pause) clusters.join(members[i - 1], members[i]);
    last = std::max(last, finding.last);
  }
}

/// Whether something in `weak` may be explained by something in `strong`: explained_by, for whatever
/// incidents they come to.
bool may_be_explained(const Cluster& weak, const Cluster& strong, const IncidentOptions& options) {
  const auto reach = static_cast<std::int64_t>(options.size) + options.slack();
  const bool then = weak.first <= strong.last + reach && weak.last >= strong.first - reach;
  return then &&
         (options.halting || weak.weakest < std::min(strong.strongest * options.limits.secondary_share,
                                                     options.limits.secondary_score));
}

}  // namespace

std::vector<std::uint8_t> settled(const Grouping& grouping, std::span<const Finding> findings,
                                  const IncidentOptions& options, const SettledBefore& before) {
  const PartMap map(grouping, findings);
  const auto pause = options.recurrence() + static_cast<std::int64_t>(options.size + options.shift);
  Clusters clusters(findings.size());
  for (const auto& members : by_part(map, findings)) join_what_follows(members, findings, pause, clusters);
  std::vector<Cluster> all(findings.size());
  for (std::size_t f = 0; f < findings.size(); ++f) {
    const Finding& finding = findings[f];
    Cluster& cluster = all[clusters.of(f)];
    cluster.first = std::min(cluster.first, finding.first);
    cluster.last = std::max(cluster.last, finding.last);
    cluster.strongest = std::max(cluster.strongest, finding.strength);
    cluster.weakest = std::min(cluster.weakest, finding.strength);
    const bool over = !finding.open && finding.last + pause + before.look_back < before.now;
    cluster.settled = cluster.settled && over;
  }
  std::vector<std::size_t> roots;
  for (std::size_t f = 0; f < findings.size(); ++f) {
    if (clusters.of(f) == f) roots.push_back(f);
  }
  // What stays keeps what may explain it, which may itself be weak beside a third.
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::size_t strong : roots) {
      if (!all[strong].settled) continue;
      const bool needed = std::ranges::any_of(roots, [&](std::size_t weak) {
        return !all[weak].settled && may_be_explained(all[weak], all[strong], options);
      });
      all[strong].settled = !needed;
      changed = changed || needed;
    }
  }
  std::vector<std::uint8_t> out(findings.size());
  for (std::size_t f = 0; f < findings.size(); ++f) out[f] = all[clusters.of(f)].settled ? 1 : 0;
  return out;
}

}  // namespace laggard::explain
