#include "analyse/explain/facts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "analyse/judge/peers.h"

namespace laggard::analyse {

namespace {

/// What the member did over its spell, against what the others did.
std::optional<Excess> excess_over(const Sighting& sighting, std::string_view one, std::string_view other) {
  const auto levels = levels_over(sighting, one, other);
  if (!levels) return std::nullopt;
  Excess excess{levels->own, levels->peers(), 0};
  const MedianOfOthers rest(levels->others);
  for (const double x : levels->others) {
    // Each against the others of it, so that two peers do not vouch for each other.
    const double middle = levels->others.size() > 1 ? rest.without(x) : x;
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

/// Components that were slow before most of the lost ones were lost.
std::size_t slow_before(const Draft& draft, const std::vector<std::int64_t>& lost, std::int64_t least) {
  std::vector<std::int64_t> sorted = lost;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  std::set<std::size_t> slow;
  for (const Sighting& sighting : draft.sightings) {
    if (is_slow(sighting) && sighting.spell->first_position + least <= *middle)
      slow.insert(sighting.component);
  }
  return slow.size();
}

/// Every server through which the blamed part runs has lost something.
bool all_servers_lost(const Blame& blame, const Grouping& grouping,
                      const std::map<std::size_t, std::int64_t>& lost) {
  std::set<std::string> with_loss;
  for (const auto& [component, first] : lost) with_loss.insert(grouping.components[component].host);
  return std::all_of(grouping.components.begin(), grouping.components.end(), [&](const Component& component) {
    const bool of_part =
        component.kind == DeviceKind::kDisk &&
        std::find(component.parts.begin(), component.parts.end(), blame) != component.parts.end();
    return !of_part || with_loss.contains(component.host);
  });
}

void find_losses(const Draft& draft, const Grouping& grouping, const IncidentOptions& options, Facts& facts) {
  constexpr std::size_t kSeveral = 3;
  std::map<std::size_t, std::int64_t> lost;
  std::set<std::size_t> gone;
  std::set<std::size_t> all;
  for (const Sighting& sighting : draft.sightings) {
    all.insert(sighting.component);
    if (!is_lost(sighting)) continue;
    const std::int64_t first = sighting.spell->first_position;
    const auto known = lost.try_emplace(sighting.component, first).first;
    known->second = std::min(known->second, first);
    if (is_gone(sighting)) gone.insert(sighting.component);
  }
  std::vector<std::int64_t> beginnings;
  beginnings.reserve(lost.size());
  for (const auto& [component, first] : lost) beginnings.push_back(first);
  const bool before =
      !lost.empty() && slow_before(draft, beginnings, static_cast<std::int64_t>(options.shift)) >= kSeveral;
  if (2 * lost.size() <= all.size() && !(before && lost.size() >= kSeveral)) return;
  facts.is.insert(Fact::kLost);
  facts.is.insert(2 * gone.size() > lost.size() ? Fact::kGone : Fact::kUnused);
  if (before) facts.is.insert(Fact::kSlowBefore);
  if (all_servers_lost(draft.blamed.blame, grouping, lost)) facts.is.insert(Fact::kWhole);
}

/// How the windows of one component, in which its latency was judged, follow each other.
struct Turns {
  std::size_t bad = 0;
  std::size_t well = 0;
  std::size_t pauses = 0;  ///< Runs of well ones.
  double strength = 0;

  /// What is slow all the time has a good window now and then; what is barely slow has many, but then its bad
  /// ones are barely bad. Two pauses will do when they are long. \param long_pause  windows of a long one.
  [[nodiscard]] bool come_and_go(std::size_t long_pause) const {
    constexpr std::size_t kLeastPauses = 3;
    constexpr std::size_t kLeastLongPauses = 2;
    constexpr double kLeastWell = 0.05;
    constexpr double kLeastStrength = 4;
    const bool several =
        pauses >= kLeastPauses || (pauses >= kLeastLongPauses && well >= pauses * long_pause);
    return several && strength >= kLeastStrength &&
           static_cast<double>(well) >= kLeastWell * static_cast<double>(well + bad);
  }
};

/// Of the spells of one component, metric and detector: the turns within them and, where a pause was so long
/// that it ended one, between them. \param least_pause  windows in which it was well, for the latter.
Turns turns_of(std::vector<const Spell*>& spells, std::size_t least_pause) {
  std::stable_sort(spells.begin(), spells.end(),
                   [](const Spell* a, const Spell* b) { return a->first_position < b->first_position; });
  Turns turns;
  for (const Spell* spell : spells) {
    turns.bad += spell->bad;
    turns.well += spell->well;
    turns.pauses += spell->pauses;
    turns.strength = std::max(turns.strength, spell->strength);
    if (spell == spells.back() || spell->well_since < least_pause) continue;
    turns.well += spell->well_since;
    ++turns.pauses;
  }
  return turns;
}

/// Each detector by itself: what two of them see are not twice as many pauses.
bool comes_and_goes(const Draft& draft, const IncidentOptions& options) {
  std::map<std::tuple<std::size_t, const MetricSpec*, std::string_view>, std::vector<const Spell*>> spells;
  for (const Sighting& sighting : draft.sightings) {
    const Spell& spell = *sighting.spell;
    if (!is_slow(sighting) || spell.detector == kBiasDetector || spell.detector == kUncalledDetector)
      continue;
    spells[{sighting.component, spell.metric, spell.detector}].push_back(&spell);
  }
  return std::any_of(spells.begin(), spells.end(),
                     [&](auto& entry) { return turns_of(entry.second, options.k).come_and_go(options.k); });
}

}  // namespace

Facts gather_facts(const Draft& draft, const Grouping& grouping, const IncidentOptions& options) {
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
  facts.tier = draft.blamed.blame.kind;
  find_losses(draft, grouping, options, facts);
  if (!draft.relief.empty()) facts.is.insert(Fact::kTakenOver);
  if (draft.companions > 0) facts.is.insert(Fact::kWithNeighbours);
  if (comes_and_goes(draft, options)) facts.is.insert(Fact::kComesAndGoes);
  const bool uncalled = std::any_of(draft.sightings.begin(), draft.sightings.end(), [](const Sighting& each) {
    return each.spell->detector == kUncalledDetector;
  });
  if (uncalled) facts.is.insert(Fact::kUncalled);
  return facts;
}

}  // namespace laggard::analyse
