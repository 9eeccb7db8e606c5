#include "analyse/explain/draft.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "analyse/explain/take_over.h"

namespace laggard::analyse {

namespace {

/// Which of the components' times is the draft's: that of the one in so many that was first.
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
std::optional<WallTime> reached_together(const std::vector<Sighting>& sightings, double least_severity,
                                         std::int64_t least_persistence) {
  struct Step {
    std::size_t component;
    SpellGrowth growth;
  };
  std::vector<Step> steps;
  for (const Sighting& sighting : sightings) {
    for (const SpellGrowth& growth : sighting.spell->growth) steps.push_back({sighting.component, growth});
  }
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Step& a, const Step& b) { return a.growth.at < b.growth.at; });
  std::map<std::size_t, SpellGrowth> most;
  double severity = 0;
  std::int64_t persistence = 0;
  for (const Step& step : steps) {
    SpellGrowth& mine = most[step.component];
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

std::optional<WallTime> confirmed_together(const std::vector<Sighting>& sightings,
                                           const IncidentOptions& options) {
  return reached_together(sightings, options.constants.confirm_severity, options.confirm_persistence);
}

/// Of all components: what a distance or absence says; what bias says only of those that nothing else saw.
std::map<std::size_t, Beginning> beginnings_of(const std::vector<Sighting>& sightings) {
  std::map<std::size_t, Beginning> seen;
  std::map<std::size_t, Beginning> gathered;
  for (const Sighting& sighting : sightings) {
    const Spell& spell = *sighting.spell;
    Beginning& mine = (spell.detector == kBiasDetector ? gathered : seen)[sighting.component];
    take_earlier(mine.since, spell.since);
    take_earlier(mine.faulty, spell.faulty_since);
    take_earlier(mine.persistent, spell.persistent_since);
    mine.first = std::min(mine.first, spell.first_position);
  }
  seen.merge(gathered);
  return seen;
}

void measure(Draft& draft, const IncidentOptions& options) {
  draft.last = std::numeric_limits<std::int64_t>::min();
  const bool several = reach(draft.blamed.blame.kind) >= 1 && !options.paper;
  draft.confirmed_since = several ? confirmed_together(draft.sightings, options) : std::nullopt;
  for (const Sighting& sighting : draft.sightings) {
    const Spell& spell = *sighting.spell;
    take_earlier(draft.confirmed_since, spell.confirmed_since);
    draft.strength = std::max(draft.strength, spell.strength);
    if (spell.last_position > draft.last) {
      draft.last = spell.last_position;
      draft.until = *spell.until;
    }
    draft.open = draft.open || sighting.open;
  }
  std::vector<WallTime> since;
  std::vector<WallTime> faulty;
  std::vector<WallTime> persistent;
  std::vector<std::int64_t> first;
  for (const auto& [component, beginning] : beginnings_of(draft.sightings)) {
    since.push_back(*beginning.since);
    faulty.push_back(*beginning.faulty);
    if (beginning.persistent) persistent.push_back(*beginning.persistent);
    first.push_back(beginning.first);
  }
  draft.since = *early(std::move(since));
  draft.persistent_since = early(std::move(persistent));
  draft.first = *early(std::move(first));
  std::optional<WallTime> earliest = early(std::move(faulty));
  if (several) {
    const auto together = reached_together(draft.sightings, options.constants.gate_severity,
                                           std::numeric_limits<std::int64_t>::max());
    if (together > draft.since) take_earlier(earliest, together);
  }
  draft.faulty_since = *earliest;
  // One of them that was confirmed for itself before says nothing about the part.
  if (draft.confirmed_since) draft.confirmed_since = std::max(*draft.confirmed_since, draft.faulty_since);
}

class Drafter {
 public:
  Drafter(const Grouping& grouping, const IncidentOptions& options)
      : map_(grouping), options_(options), shift_(static_cast<std::int64_t>(options.shift)) {}

  /// \param passed_over  affected, but never seen themselves.
  [[nodiscard]] std::vector<Draft> explain(const std::vector<Sighting>& sightings,
                                           const std::vector<Trouble>& passed_over) const {
    std::vector<Trouble> troubles;
    troubles.reserve(sightings.size() + passed_over.size());
    for (const Sighting& sighting : sightings) troubles.push_back(trouble_of(sighting, shift_));
    troubles.insert(troubles.end(), passed_over.begin(), passed_over.end());
    std::vector<Draft> drafts;
    for (Episode& episode : find_episodes(map_, troubles, {shift_, options_.slack()})) {
      Draft draft;
      draft.blamed = std::move(episode.blamed);
      for (const std::size_t t : episode.troubles) {
        if (t < sightings.size()) draft.sightings.push_back(sightings[t]);
      }
      if (draft.sightings.empty()) continue;
      measure(draft, options_);
      drafts.push_back(std::move(draft));
    }
    return drafts;
  }

  [[nodiscard]] std::vector<Draft> explain_carefully(const std::vector<Sighting>& sightings,
                                                     const std::vector<Trouble>& passed_over) const {
    std::vector<Draft> careful;
    for (Draft& draft : explain(sightings, passed_over)) {
      std::set<std::size_t> sure;
      for (const Sighting& sighting : draft.sightings) {
        if (sighting.spell->confirmed()) sure.insert(sighting.component);
      }
      std::vector<Sighting> confirmed;
      std::vector<Sighting> suspected;
      for (const Sighting& sighting : draft.sightings) {
        (sure.contains(sighting.component) ? confirmed : suspected).push_back(sighting);
      }
      if (confirmed.empty() || suspected.empty() || convict(draft, confirmed, suspected)) {
        careful.push_back(std::move(draft));
        continue;
      }
      for (const auto& kind : {confirmed, suspected}) {
        for (Draft& apart : explain(kind, passed_over)) careful.push_back(std::move(apart));
      }
    }
    return careful;
  }

  /// The same part blamed again after a pause.
  [[nodiscard]] std::vector<Draft> join_recurrences(std::vector<Draft> drafts) const {
    const auto pause = std::llround(options_.constants.recurrence * static_cast<double>(options_.slack()));
    std::stable_sort(drafts.begin(), drafts.end(),
                     [](const Draft& a, const Draft& b) { return a.first < b.first; });
    std::vector<Draft> joined;
    for (Draft& draft : drafts) {
      const auto same = std::find_if(joined.begin(), joined.end(), [&](const Draft& earlier) {
        return earlier.blamed.blame == draft.blamed.blame && draft.first <= earlier.last + pause &&
               earlier.first <= draft.last + pause;
      });
      if (same == joined.end()) {
        joined.push_back(std::move(draft));
        continue;
      }
      const WallTime since = same->since;
      absorb(*same, draft);
      measure(*same, options_);
      same->since = std::min(since, same->since);
    }
    return joined;
  }

  /// See make_drafts.
  [[nodiscard]] std::vector<Draft> join_companions(std::vector<Draft> drafts,
                                                   const Grouping& grouping) const {
    std::vector<std::pair<double, Draft>> by_wait;
    by_wait.reserve(drafts.size());
    for (Draft& draft : drafts) by_wait.emplace_back(excess_wait(draft), std::move(draft));
    std::stable_sort(by_wait.begin(), by_wait.end(), [](const auto& a, const auto& b) {
      return std::pair(a.first, a.second.strength) > std::pair(b.first, b.second.strength);
    });
    std::transform(by_wait.begin(), by_wait.end(), drafts.begin(),
                   [](auto& each) { return std::move(each.second); });
    std::vector<bool> taken(drafts.size(), false);
    std::vector<Draft> joined;
    for (std::size_t d = 0; d < drafts.size(); ++d) {
      if (taken[d]) continue;
      const std::vector<std::size_t> with = companions_of(drafts, taken, d, grouping);
      for (const std::size_t e : with) {
        absorb(drafts[d], drafts[e]);
        taken[e] = true;
      }
      drafts[d].companions = with.size();
      if (!with.empty()) measure(drafts[d], options_);
      joined.push_back(std::move(drafts[d]));
    }
    return joined;
  }

 private:
  static void absorb(Draft& draft, const Draft& other) {
    draft.sightings.insert(draft.sightings.end(), other.sightings.begin(), other.sightings.end());
    std::vector<std::size_t>& components = draft.blamed.components;
    components.insert(components.end(), other.blamed.components.begin(), other.blamed.components.end());
    std::sort(components.begin(), components.end());
    components.erase(std::unique(components.begin(), components.end()), components.end());
  }

  /// The array of a draft that is about one slow LUN; null for others.
  static const Blame* array_of_slow_lun(const Draft& draft, const Grouping& grouping) {
    const BlameKind kind = draft.blamed.blame.kind;
    if (kind != BlameKind::kLun && kind != BlameKind::kAttachment) return nullptr;
    if (std::none_of(draft.sightings.begin(), draft.sightings.end(), is_slow)) return nullptr;
    return part_of(grouping.components[draft.sightings.front().component], BlameKind::kArray);
  }

  /// The drafts behind the leader, whose work waited less, that begin together while it lasts; at least two,
  /// else none.
  [[nodiscard]] std::vector<std::size_t> companions_of(const std::vector<Draft>& drafts,
                                                       const std::vector<bool>& taken, std::size_t leader,
                                                       const Grouping& grouping) const {
    const Blame* array = array_of_slow_lun(drafts[leader], grouping);
    if (array == nullptr) return {};
    const std::int64_t leader_end = seen_until(drafts[leader]);
    std::vector<std::size_t> during;
    for (std::size_t e = leader + 1; e < drafts.size(); ++e) {
      const Blame* other = taken[e] ? nullptr : array_of_slow_lun(drafts[e], grouping);
      if (other == nullptr || *other != *array) continue;
      const std::int64_t length = seen_until(drafts[e]) - drafts[e].first;
      const std::int64_t both = std::min(leader_end, seen_until(drafts[e])) - drafts[e].first;
      const bool then = drafts[e].first + options_.slack() >= drafts[leader].first && 2 * both >= length &&
                        4 * length >= leader_end - drafts[leader].first;
      if (then && !has_own_work(drafts[e])) during.push_back(e);
    }
    std::vector<std::size_t> most;
    for (const std::size_t one : during) {
      std::vector<std::size_t> with;
      std::copy_if(during.begin(), during.end(), std::back_inserter(with), [&](std::size_t other) {
        const std::int64_t apart = drafts[other].first - drafts[one].first;
        return apart >= 0 && apart <= 2 * shift_;
      });
      if (with.size() > most.size()) most = std::move(with);
    }
    if (most.size() < 2) most.clear();
    return most;
  }

  /// When a distance saw it last: the bias detector goes on for as long as its horizon.
  static std::int64_t seen_until(const Draft& draft) {
    std::optional<std::int64_t> last;
    for (const Sighting& sighting : draft.sightings) {
      if (sighting.spell->detector == kBiasDetector) continue;
      last = std::max(last.value_or(sighting.spell->last_position), sighting.spell->last_position);
    }
    return last.value_or(draft.last);
  }

  /// By how much its work waited longer than its peers', ms times windows, as far as distances saw it.
  static double excess_wait(const Draft& draft) {
    double wait = 0;
    for (const Sighting& sighting : draft.sightings) {
      const Spell& spell = *sighting.spell;
      if (!is_slow(sighting) || spell.detector == kBiasDetector) continue;
      const auto levels = levels_over(sighting, spell.metric->name);
      if (levels) wait += static_cast<double>(spell.bad) * std::max(0.0, levels->own - levels->peers());
    }
    return wait;
  }

  static bool has_own_work(const Draft& draft) {
    return std::any_of(draft.sightings.begin(), draft.sightings.end(),
                       [](const Sighting& each) { return each.spell->metric->role == Role::kThroughput; });
  }

  /// Confirmed components alone point to the same part, or the suspected ones are many enough to confirm each
  /// other.
  [[nodiscard]] bool convict(const Draft& draft, const std::vector<Sighting>& confirmed,
                             const std::vector<Sighting>& suspected) const {
    const std::vector<Draft> alone = explain(confirmed, {});
    const bool same = std::any_of(alone.begin(), alone.end(), [&](const Draft& other) {
      return other.blamed.blame == draft.blamed.blame;
    });
    if (same) return true;
    return confirmed_together(suspected, options_).has_value();
  }

  PartMap map_;
  const IncidentOptions& options_;
  std::int64_t shift_;
};

/// Gives each take-over to the draft that has what it stands in for, at the time.
void add_relief(std::vector<Draft>& drafts, const std::vector<Relief>& relief,
                const IncidentOptions& options) {
  const auto shift = static_cast<std::int64_t>(options.shift);
  for (const Relief& each : relief) {
    const Trouble load = trouble_of(each.sighting, shift);
    for (Draft& draft : drafts) {
      const auto& components = draft.blamed.components;
      const bool has = std::binary_search(components.begin(), components.end(), each.instead_of);
      const bool then =
          load.first <= draft.last + options.slack() && draft.first <= load.last + options.slack();
      if (!has || !then) continue;
      draft.relief.push_back(each);
      break;
    }
  }
}

}  // namespace

std::vector<Draft> make_drafts(const Grouping& grouping, std::span<const GroupSpells> groups,
                               const IncidentOptions& options) {
  const std::vector<Sighting> all = all_sightings(grouping, groups);
  TakeOvers take_overs;
  if (!options.paper) {
    take_overs = find_take_overs(grouping, all, static_cast<std::int64_t>(options.shift), options.slack());
  }
  std::vector<Sighting> own;
  std::vector<Relief> relief;
  for (std::size_t s = 0; s < all.size(); ++s) {
    const auto taker = take_overs.relieving.find(s);
    if (taker == take_overs.relieving.end()) {
      own.push_back(all[s]);
    } else {
      relief.push_back({all[s], taker->second});
    }
  }
  const Drafter drafter(grouping, options);
  std::vector<Draft> drafts =
      drafter.join_recurrences(drafter.explain_carefully(own, take_overs.passed_over));
  if (!options.paper) drafts = drafter.join_companions(std::move(drafts), grouping);
  add_relief(drafts, relief, options);
  return drafts;
}

}  // namespace laggard::analyse
