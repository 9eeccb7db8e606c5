#include "analyse/judge/spells.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "stats/ratio.h"

namespace laggard::analyse {

namespace {
/// More windows than any detector gathers its evidence over.
constexpr std::size_t kLongestReach = 256;
/// Scores up to this are those of a member that is like its peers: one that is barely slow all the time stays
/// just below 1 now and then (ours; slow and oscillating LUNs of simulated even seeds).
constexpr double kWell = 0.5;
}  // namespace

SpellTracker::SpellTracker(std::size_t group, std::size_t members, const MetricSpec* metric,
                           std::string detector, Options options)
    : group_(group),
      metric_(metric),
      detector_(std::move(detector)),
      options_(options),
      filter_(options.filter, members),
      latest_(members) {}

void SpellTracker::note_well(Spell& spell, const Recent& window) {
  if (!window.idle && window.score[spell.member] <= kWell) ++spell.well_since;
}

void SpellTracker::extend(Spell& spell, const Recent& window, bool anomalous) {
  const std::size_t i = spell.member;
  const auto at = static_cast<std::size_t>(&spell - spells_.data());
  std::vector<double>& best = best_scores_[at];
  best.push_back(window.score[i]);
  std::sort(best.begin(), best.end(), std::greater<>());
  if (best.size() > options_.filter.k) best.pop_back();
  spell.strength = best.back();
  if (!anomalous) {
    note_well(spell, window);
    return;
  }
  ++spell.bad;
  if (spell.bad > 1 && spell.well_since > 0) {
    spell.well += spell.well_since;
    ++spell.pauses;
  }
  spell.well_since = 0;
  spell.levels = sums_.add(std::move(spell.levels), window.position, window.levels);
  spell.last_position = window.position;
  spell.until = window.end;
  if (spell.windows.size() < kMostWindows) spell.windows.push_back(window.start);
  if (window.score[i] > spell.score) {
    spell.score = window.score[i];
    spell.distance = window.distance[i];
    spell.threshold = window.threshold[i];
    spell.worst_window = window.start;
  }
}

void SpellTracker::open(std::size_t member, const ScoredTrack& track) {
  Spell spell;
  spell.group = group_;
  spell.member = member;
  spell.metric = metric_;
  spell.detector = detector_;
  spell.trained = recent_.back().trained;
  spell.faulty_since = recent_.back().end;
  spells_.push_back(std::move(spell));
  best_scores_.emplace_back();
  latest_[member] = spells_.size() - 1;
  bool unseen = true;
  double severity = 0;
  for (const Recent& window : recent_) {
    const bool anomalous = window.score[member] > 1;
    severity = std::max(
        0.0, severity + stats::clipped_log2_ratio(window.score[member], 1, options_.filter.least_severity,
                                                  options_.filter.most_severity));
    const bool before = window.position < recent_.back().position;
    if (anomalous && before && track.certain.empty())
      spells_.back().growth.push_back({window.end, severity, 0});
    if (anomalous && unseen) {
      spells_.back().since = window.start;
      spells_.back().first_position = window.position;
      unseen = false;
    }
    extend(spells_.back(), window, anomalous);
  }
  if (track.reach.empty()) return;
  const Spell seen = spells_.back();
  reach_back(spells_.back(), track.reach[member]);
  if (spells_.back().since > seen.since) spells_.back() = seen;
}

void SpellTracker::reach_back(Spell& spell, std::size_t windows) {
  const Seen& first = seen_[seen_.size() - std::min(seen_.size(), windows + 1)];
  spell.since = first.start;
  spell.first_position = first.position;
}

void SpellTracker::step(std::size_t member, bool anomalous, const ScoredTrack& track) {
  const ComponentState& state = filter_.states()[member];
  const bool severe = anomalous && state.severity >= options_.gate_severity;
  const bool faulty = state.faulty || severe;
  const auto span = static_cast<std::int64_t>((2 * options_.filter.k - 1) * options_.shift);
  const std::optional<std::size_t> latest = latest_[member];
  if (latest && recent_.back().position - spells_[*latest].last_position <= span) {
    extend(spells_[*latest], recent_.back(), anomalous);
  } else if (faulty) {
    open(member, track);
  } else {
    if (latest) note_well(spells_[*latest], recent_.back());
    return;
  }
  Spell& spell = spells_[*latest_[member]];
  spell.persistence = std::max(spell.persistence, state.persistence);
  spell.severity = std::max(spell.severity, state.severity);
  if (state.faulty && !spell.persistent_since) spell.persistent_since = recent_.back().end;
  if (track.certain.empty() && !spell.confirmed() && spell.growth.size() < kMostGrowth) {
    spell.growth.push_back({recent_.back().end, state.severity, state.persistence});
  }
  confirm(spell, faulty, track);
}

void SpellTracker::confirm(Spell& spell, bool faulty, const ScoredTrack& track) {
  const bool certain = !track.certain.empty() && track.certain[spell.member] != 0;
  const bool confirmed = certain || (faulty && (spell.persistence >= options_.confirm.persistence ||
                                                spell.severity >= options_.confirm.severity));
  if (!confirmed || spell.confirmed()) return;
  // What made it suspect, perhaps a day ago, is not what makes it sick now.
  if (certain && !track.reach.empty()) {
    reach_back(spell, track.reach[spell.member]);
    if (spell.faulty_since < spell.since) spell.faulty_since = *(spell.persistent_since = recent_.back().end);
  }
  spell.confirmed_since = recent_.back().end;
}

void SpellTracker::repaired(std::size_t member) {
  filter_.repaired(member);
  latest_[member].reset();
  for (Recent& window : recent_) window.score[member] = 0;
}

void SpellTracker::add(const WindowJudgement& window, const ScoredTrack& track) {
  const std::size_t n = track.distance.size();
  Recent recent{window.position, window.start,    window.end,    window.levels, {},
                track.distance,  track.threshold, track.trained, track.idle};
  recent.score.assign(n, 0);
  std::vector<WindowVerdict> verdicts(n);
  for (std::size_t i = 0; i < n; ++i) {
    const bool judged = !std::isnan(track.distance[i]);
    const double score = judged ? track.distance[i] / track.threshold[i] : 0;
    verdicts[i] = {judged, score > 1, score, track.below.empty() ? 0 : track.below[i] / track.threshold[i]};
    recent.score[i] = score;
  }
  filter_.update(window.index, verdicts);
  sums_.next_window();
  recent_.push_back(std::move(recent));
  if (recent_.size() > 2 * options_.filter.k - 1) recent_.erase(recent_.begin());
  seen_.push_back({window.start, window.position});
  if (seen_.size() > kLongestReach) seen_.pop_front();
  for (std::size_t i = 0; i < n; ++i) step(i, verdicts[i].anomalous, track);
}

}  // namespace laggard::analyse
