#include "analyse/explain/incidents.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "analyse/explain/blame.h"
#include "analyse/judge/peers.h"

namespace laggard::analyse {

namespace {

/// A spell with where it came from.
struct Sighting {
  const Spell* spell = nullptr;
  const GroupSpells* group = nullptr;
  std::size_t component = 0;
  bool open = false;
};

/// An incident in the making.
struct Draft {
  Blamed blamed;
  std::vector<Sighting> sightings;
  double strength = 0;
  WallTime since;
  WallTime until;
  std::int64_t first = 0;  ///< Positions, as in Spell.
  std::int64_t last = 0;
  bool open = false;
};

/// What the member did over its spell, against what the others did.
std::optional<Excess> excess_over(const Sighting& sighting, std::string_view one, std::string_view other) {
  const auto& columns = sighting.group->columns;
  std::vector<double> total;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].metric->name != one && columns[c].metric->name != other) continue;
    const std::vector<double> means = sighting.spell->levels.means(c);
    if (total.empty()) total.assign(means.size(), 0);
    for (std::size_t i = 0; i < means.size(); ++i) total[i] += means[i];
  }
  if (total.empty()) return std::nullopt;
  const double own = total[sighting.spell->member];
  std::vector<double> others;
  for (std::size_t i = 0; i < total.size(); ++i) {
    if (i != sighting.spell->member && !std::isnan(total[i])) others.push_back(total[i]);
  }
  if (std::isnan(own) || others.empty()) return std::nullopt;
  Excess excess{own, median_of(others), 0};
  const MedianOfOthers rest(others);
  for (const double x : others) {
    // Each against the others of it, so that two peers do not vouch for each other.
    const double middle = others.size() > 1 ? rest.without(x) : x;
    excess.spread = std::max(excess.spread, std::abs(x - middle));
  }
  return excess;
}

const Sighting* strongest(const std::vector<Sighting>& sightings, Resource resource, bool throughput_only) {
  const Sighting* best = nullptr;
  for (const Sighting& sighting : sightings) {
    const MetricSpec& metric = *sighting.spell->metric;
    if (metric.resource != resource || (throughput_only && metric.role != Role::kThroughput)) continue;
    if (best == nullptr || sighting.spell->strength > best->spell->strength) best = &sighting;
  }
  return best;
}

Facts gather_facts(const Draft& draft) {
  Facts facts;
  for (const Sighting& sighting : draft.sightings) {
    facts.divergences.push_back({sighting.spell->metric, sighting.spell->detector, true});
  }
  if (const Sighting* storage = strongest(draft.sightings, Resource::kStorage, false)) {
    facts.storage = excess_over(*storage, "rd_sec", "wr_sec");
  }
  if (const Sighting* network = strongest(draft.sightings, Resource::kNetwork, true)) {
    facts.network = excess_over(*network, "rxbyt", "txbyt");
  }
  return facts;
}

/// Congestion windows are compared as log2(1 + segments), but shown as segments.
double in_unit(const MetricSpec& metric, double level) {
  return metric.role == Role::kCongestion ? std::exp2(level) - 1 : level;
}

Evidence to_evidence(const Sighting& sighting, const Grouping& grouping) {
  const Spell& spell = *sighting.spell;
  Evidence evidence;
  evidence.metric = spell.metric->name;
  evidence.component = grouping.components[sighting.component].name;
  evidence.detector = spell.detector;
  evidence.distance = spell.distance;
  evidence.threshold = spell.threshold;
  evidence.score = spell.score;
  evidence.unit = spell.metric->unit;
  evidence.windows = spell.windows;
  if (spell.score > 0) evidence.worst_window = spell.worst_window;
  for (std::size_t c = 0; c < sighting.group->columns.size(); ++c) {
    if (sighting.group->columns[c].metric != spell.metric) continue;
    const std::vector<double> means = spell.levels.means(c);
    const double own = means[spell.member];
    const double peers = MedianOfOthers(means).without(own);
    if (!std::isnan(own)) evidence.level = in_unit(*spell.metric, own);
    if (!std::isnan(peers)) evidence.peers = in_unit(*spell.metric, peers);
  }
  return evidence;
}

bool has_retransmissions(const Draft& draft) {
  return std::any_of(draft.sightings.begin(), draft.sightings.end(), [](const Sighting& sighting) {
    return sighting.spell->metric->role == Role::kRetransmission;
  });
}

Incident to_incident(const Draft& draft, const Grouping& grouping, std::span<const Rule> rules) {
  Incident incident;
  incident.blame = draft.blamed.blame;
  incident.alternatives = draft.blamed.alternatives;
  incident.since = draft.since;
  if (!draft.open) incident.until = draft.until;
  incident.status = draft.open ? IncidentStatus::kOpen : IncidentStatus::kClosed;
  bool trained = true;
  std::set<std::string> names;
  for (const Sighting& sighting : draft.sightings) {
    const Spell& spell = *sighting.spell;
    names.insert(grouping.components[sighting.component].name);
    if (spell.confirmed) incident.state = IncidentState::kConfirmed;
    incident.faulty_since = std::min(incident.faulty_since.value_or(spell.faulty_since), spell.faulty_since);
    incident.persistence = std::max(incident.persistence, static_cast<int>(spell.persistence));
    incident.severity = std::max(incident.severity, spell.severity);
    trained = trained && spell.trained;
    incident.evidence.push_back(to_evidence(sighting, grouping));
  }
  incident.thresholds = trained ? ThresholdOrigin::kTrained : ThresholdOrigin::kSelf;
  incident.components.assign(names.begin(), names.end());
  std::stable_sort(incident.evidence.begin(), incident.evidence.end(),
                   [](const Evidence& a, const Evidence& b) { return a.score > b.score; });
  const Facts facts = gather_facts(draft);
  if (const Rule* rule = first_match(rules, facts)) {
    incident.cause = rule->cause;
    incident.resource = rule->resource;
    incident.rule = rule->name;
    incident.why = explain(*rule, facts, incident.blame.name);
  } else {
    incident.cause = "unknown";
    incident.resource = to_name(draft.sightings.front().spell->metric->resource);
    incident.rule = "none";
    incident.why = fmt::format("{} differs from its peers, but no rule names a cause", incident.blame.name);
  }
  incident.id = fmt::format("{}-{}-{}", incident.blame.name, incident.cause, to_file_stamp(incident.since));
  return incident;
}

/// Cuts sightings into clusters that overlap, windows and all, up to `slack` cells apart.
std::vector<std::vector<Sighting>> cluster(std::vector<Sighting> sightings, std::int64_t slack) {
  std::stable_sort(sightings.begin(), sightings.end(), [](const Sighting& a, const Sighting& b) {
    return a.spell->first_position < b.spell->first_position;
  });
  std::vector<std::vector<Sighting>> clusters;
  std::int64_t reach = 0;
  for (const Sighting& sighting : sightings) {
    if (clusters.empty() || sighting.spell->first_position > reach + slack) {
      clusters.emplace_back();
      reach = sighting.spell->last_position;
    }
    reach = std::max(reach, sighting.spell->last_position);
    clusters.back().push_back(sighting);
  }
  return clusters;
}

void measure(Draft& draft) {
  const auto& sightings = draft.sightings;
  draft.first = std::numeric_limits<std::int64_t>::max();
  draft.last = std::numeric_limits<std::int64_t>::min();
  for (const Sighting& sighting : sightings) {
    draft.strength = std::max(draft.strength, sighting.spell->strength);
    if (sighting.spell->first_position < draft.first) {
      draft.first = sighting.spell->first_position;
      draft.since = sighting.spell->since;
    }
    if (sighting.spell->last_position > draft.last) {
      draft.last = sighting.spell->last_position;
      draft.until = *sighting.spell->until;
    }
    draft.open = draft.open || sighting.open;
  }
}

std::vector<Draft> to_drafts(const Grouping& grouping, const std::vector<Sighting>& sightings) {
  std::set<std::size_t> affected;
  for (const Sighting& sighting : sightings) affected.insert(sighting.component);
  const std::vector<std::size_t> list(affected.begin(), affected.end());
  std::vector<Draft> drafts;
  for (Blamed& blamed : find_blame(grouping, list)) {
    std::vector<Sighting> own;
    for (const Sighting& sighting : sightings) {
      if (std::binary_search(blamed.components.begin(), blamed.components.end(), sighting.component)) {
        own.push_back(sighting);
      }
    }
    Draft& draft = drafts.emplace_back();
    draft.blamed = std::move(blamed);
    draft.sightings = std::move(own);
    measure(draft);
  }
  return drafts;
}

/// Suspects must not convict: when sightings that are confirmed and such that are only suspected would be
/// blamed on a part that the confirmed ones alone do not point to, each kind is explained for itself. So a
/// server is not called sick because one of its disks is and others look odd at times.
std::vector<Draft> to_careful_drafts(const Grouping& grouping, const std::vector<Sighting>& sightings) {
  std::set<std::size_t> sure;
  for (const Sighting& sighting : sightings) {
    if (sighting.spell->confirmed) sure.insert(sighting.component);
  }
  std::vector<Draft> drafts = to_drafts(grouping, sightings);
  std::vector<Sighting> confirmed;
  std::vector<Sighting> suspected;
  for (const Sighting& sighting : sightings) {
    (sure.contains(sighting.component) ? confirmed : suspected).push_back(sighting);
  }
  if (confirmed.empty() || suspected.empty()) return drafts;
  std::vector<Draft> apart = to_drafts(grouping, confirmed);
  const bool same = std::all_of(drafts.begin(), drafts.end(), [&](const Draft& draft) {
    const auto& components = draft.blamed.components;
    const bool any_sure = std::any_of(components.begin(), components.end(),
                                      [&](std::size_t component) { return sure.contains(component); });
    return !any_sure || std::any_of(apart.begin(), apart.end(), [&](const Draft& of_confirmed) {
      return of_confirmed.blamed.blame == draft.blamed.blame;
    });
  });
  if (same) return drafts;
  for (Draft& draft : to_drafts(grouping, suspected)) apart.push_back(std::move(draft));
  return apart;
}

/// The same part blamed again after a pause: joins what is within `slack` cells.
void join_recurrences(std::vector<Draft>& drafts, std::int64_t slack) {
  std::vector<Draft> joined;
  for (Draft& draft : drafts) {
    const auto same = std::find_if(joined.begin(), joined.end(), [&](const Draft& earlier) {
      return earlier.blamed.blame == draft.blamed.blame && draft.first <= earlier.last + slack &&
             earlier.first <= draft.last + slack;
    });
    if (same == joined.end()) {
      joined.push_back(std::move(draft));
      continue;
    }
    same->sightings.insert(same->sightings.end(), draft.sightings.begin(), draft.sightings.end());
    measure(*same);
  }
  drafts = std::move(joined);
}

bool concurrent(const Draft& suspect, const Draft& primary, const IncidentOptions& options) {
  const auto tail = static_cast<std::int64_t>(options.size + options.shift * (2 * options.k - 1));
  const auto head = static_cast<std::int64_t>(options.shift + options.size);
  return suspect.first <= primary.last + tail && suspect.last >= primary.first - head;
}

bool explained_by(const Draft& suspect, const Draft& primary, const IncidentOptions& options) {
  return concurrent(suspect, primary, options) && !has_retransmissions(suspect) &&
         suspect.strength < std::min(primary.strength * options.constants.secondary_share,
                                     options.constants.secondary_score);
}

std::vector<Sighting> all_sightings(const Grouping& grouping, std::span<const GroupSpells> groups) {
  const bool loss_is_recorded = std::any_of(groups.begin(), groups.end(), [](const GroupSpells& group) {
    return std::any_of(group.columns.begin(), group.columns.end(), [](const GroupJudge::Column& column) {
      return column.metric->role == Role::kRetransmission && column.judged;
    });
  });
  std::vector<Sighting> sightings;
  std::set<std::string> hosts_with_more;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (std::size_t s = 0; s < groups[g].spells.size(); ++s) {
      const Spell* spell = groups[g].spells[s];
      const std::size_t component = grouping.groups[g].members[spell->member].index();
      sightings.push_back({spell, &groups[g], component, groups[g].open[s] != 0});
      if (spell->metric->role != Role::kCongestion)
        hosts_with_more.insert(grouping.components[component].host);
    }
  }
  if (loss_is_recorded) {
    std::erase_if(sightings, [&](const Sighting& sighting) {
      return sighting.spell->metric->role == Role::kCongestion &&
             !hosts_with_more.contains(grouping.components[sighting.component].host);
    });
  }
  return sightings;
}

/// What an operator should read first: not explained, confirmed, still open, persistent, severe.
bool more_pressing(const Incident& a, const Incident& b) {
  const auto urgency = [](const Incident& incident) {
    return std::tuple(incident.status != IncidentStatus::kExplained,
                      incident.state == IncidentState::kConfirmed, incident.status == IncidentStatus::kOpen,
                      incident.persistence, incident.severity);
  };
  return urgency(a) > urgency(b);
}

}  // namespace

std::vector<Incident> make_incidents(const Grouping& grouping, std::span<const GroupSpells> groups,
                                     std::span<const Rule> rules, const IncidentOptions& options) {
  const auto slack = static_cast<std::int64_t>(options.shift * (2 * options.k - 1));
  std::vector<Draft> drafts;
  for (const std::vector<Sighting>& together : cluster(all_sightings(grouping, groups), slack)) {
    for (Draft& draft : to_careful_drafts(grouping, together)) drafts.push_back(std::move(draft));
  }
  join_recurrences(drafts, std::llround(options.constants.recurrence * static_cast<double>(slack)));
  std::stable_sort(drafts.begin(), drafts.end(),
                   [](const Draft& a, const Draft& b) { return a.strength > b.strength; });
  std::vector<Incident> incidents;
  std::vector<const Draft*> primaries;
  for (const Draft& draft : drafts) {
    Incident incident = to_incident(draft, grouping, rules);
    const bool secondary =
        !options.paper && std::any_of(primaries.begin(), primaries.end(), [&](const Draft* primary) {
          return explained_by(draft, *primary, options);
        });
    if (secondary) {
      incident.status = IncidentStatus::kExplained;
    } else {
      primaries.push_back(&draft);
    }
    incidents.push_back(std::move(incident));
  }
  std::stable_sort(incidents.begin(), incidents.end(), more_pressing);
  return incidents;
}

}  // namespace laggard::analyse
