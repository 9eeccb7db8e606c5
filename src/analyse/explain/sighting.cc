#include "analyse/explain/sighting.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "analyse/judge/peers.h"

namespace laggard::analyse {

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

Trouble trouble_of(const Sighting& sighting, std::int64_t shift) {
  return {sighting.component, sighting.spell->first_position, sighting.spell->last_position + shift - 1};
}

double Levels::peers() const { return median_of(others); }

std::optional<Levels> levels_over(const Sighting& sighting, std::string_view one, std::string_view other) {
  const auto& columns = sighting.group->columns;
  std::vector<double> total;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::string_view name = columns[c].metric->name;
    if (name != one && (other.empty() || name != other)) continue;
    const std::vector<double> means = sighting.spell->levels->means(c);
    if (total.empty()) total.assign(means.size(), 0);
    for (std::size_t i = 0; i < means.size(); ++i) total[i] += means[i];
  }
  if (total.empty()) return std::nullopt;
  Levels levels;
  levels.own = total[sighting.spell->member];
  for (std::size_t i = 0; i < total.size(); ++i) {
    if (i != sighting.spell->member && !std::isnan(total[i])) levels.others.push_back(total[i]);
  }
  if (std::isnan(levels.own) || levels.others.empty()) return std::nullopt;
  return levels;
}

bool is_gone(const Sighting& sighting) {
  const Spell& spell = *sighting.spell;
  if (spell.metric->resource != Resource::kStorage) return false;
  double seen = 0;
  double most = 0;
  for (std::size_t c = 0; c < spell.levels->columns(); ++c) {
    const std::vector<double>& windows = spell.levels->windows(c);
    seen = std::max(seen, windows[spell.member]);
    most = std::max(most, *std::ranges::max_element(windows));
  }
  return 2 * seen < most;
}

bool is_lost(const Sighting& sighting) {
  return sighting.spell->detector == kAbsentDetector || is_gone(sighting);
}

bool is_slow(const Sighting& sighting) {
  return sighting.spell->metric->role == Role::kLatency && !is_lost(sighting);
}

bool moves_more(const Sighting& sighting) {
  const MetricSpec& metric = *sighting.spell->metric;
  if (metric.resource != Resource::kStorage || is_lost(sighting)) return false;
  const auto levels = levels_over(sighting, "rd_sec", "wr_sec");
  return levels && levels->own > levels->peers();
}

}  // namespace laggard::analyse
