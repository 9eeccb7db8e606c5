#include "detect/peer/judge/anomalies.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/error.h"
#include "detect/peer/judge/findings.h"
#include "detect/peer/judge/level_book.h"
#include "detect/peer/judge/own_past.h"
#include "stats/ratio.h"

namespace laggard::detect {

double score_of(double distance, double threshold) { return std::isnan(distance) ? 0 : distance / threshold; }

SparseNumbers::SparseNumbers(std::span<const double> numbers) {
  const auto count = std::ranges::count_if(numbers, [](double x) { return x != 0; });
  members_.reserve(static_cast<std::size_t>(count));
  numbers_.reserve(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] == 0) continue;
    members_.push_back(static_cast<std::uint32_t>(i));
    numbers_.push_back(numbers[i]);
  }
}

double SparseNumbers::operator[](std::size_t member) const {
  const auto at = std::ranges::lower_bound(members_, member);
  return at != members_.end() && *at == member ? numbers_[static_cast<std::size_t>(at - members_.begin())]
                                               : 0;
}

void SparseNumbers::clear(std::size_t member) {
  const auto at = std::ranges::lower_bound(members_, member);
  if (at != members_.end() && *at == member) numbers_[static_cast<std::size_t>(at - members_.begin())] = 0;
}

std::vector<double> SparseNumbers::of(std::size_t members) const {
  std::vector<double> all(members, 0);
  for (std::size_t at = 0; at < members_.size(); ++at) all[members_[at]] = numbers_[at];
  return all;
}

UniformNumbers::UniformNumbers(std::span<const double> numbers) : numbers_(numbers.begin(), numbers.end()) {
  const bool uniform = std::ranges::all_of(numbers, [&](double x) { return x == numbers.front(); });
  if (!uniform || numbers.empty()) return;
  numbers_.resize(1);
  numbers_.shrink_to_fit();
}

std::vector<double> UniformNumbers::of(std::size_t members) const {
  return numbers_.size() == 1 ? std::vector<double>(members, numbers_.front()) : numbers_;
}

namespace {
/// Scores up to this are those of a member that is like its peers: one that is barely slow all the time stays
/// just below 1 now and then (ours; slow and oscillating LUNs of simulated even seeds).
constexpr double kWell = 0.5;
}  // namespace

void keep_records(std::vector<Growth>& growth) {
  if (growth.empty()) return;
  Growth highest = growth.front();
  std::size_t kept = 1;
  for (std::size_t g = 1; g < growth.size(); ++g) {
    const Growth at = growth[g];
    if (at.severity <= highest.severity && at.persistence <= highest.persistence) continue;
    highest.severity = std::max(highest.severity, at.severity);
    highest.persistence = std::max(highest.persistence, at.persistence);
    growth[kept++] = at;
  }
  growth.resize(kept);
  growth.shrink_to_fit();
}

AnomalyTracker::AnomalyTracker(std::size_t group, std::size_t members, const MetricSpec* metric,
                               std::string detector, Options options)
    : group_(group),
      metric_(metric),
      detector_(std::move(detector)),
      options_(options),
      filter_(options.filter, members),
      stretches_(options.longest_burst > 0 ? members : 0),
      latest_(members) {}

void AnomalyTracker::note_well(Anomaly& anomaly, const Recent& window) {
  if (!window.idle && window.score(anomaly.member) <= kWell) ++anomaly.well_since;
}

void AnomalyTracker::extend(Anomaly& anomaly, const Recent& window, bool anomalous) {
  const std::size_t i = anomaly.member;
  const auto at = static_cast<std::size_t>(&anomaly - anomalies_.data());
  std::vector<double>& best = best_scores_[at];
  best.push_back(window.score(i));
  std::sort(best.begin(), best.end(), std::greater<>());
  if (best.size() > options_.filter.k) best.pop_back();
  anomaly.strength = best.back();
  if (!anomalous) {
    note_well(anomaly, window);
    return;
  }
  ++anomaly.bad;
  if (anomaly.bad > 1 && anomaly.well_since > 0) {
    anomaly.well += anomaly.well_since;
    ++anomaly.pauses;
  }
  anomaly.well_since = 0;
  anomaly.levels = sums_.add(std::move(anomaly.levels), window.position, *window.levels);
  anomaly.last_position = window.position;
  anomaly.until = window.end;
  if (anomaly.windows.size() < kMostWindows) anomaly.windows.push_back(window.start);
  if (window.score(i) > anomaly.score) {
    anomaly.score = window.score(i);
    anomaly.distance = window.distance[i];
    anomaly.threshold = window.threshold[i];
    anomaly.worst_window = window.start;
  }
}

void AnomalyTracker::open(std::size_t member, const ScoredTrack& track) {
  Anomaly anomaly;
  anomaly.group = group_;
  anomaly.member = member;
  anomaly.metric = metric_;
  anomaly.detector = detector_;
  anomaly.trained = recent_.back().trained;
  anomaly.faulty_since = recent_.back().end;
  anomaly.opened = recent_.back().end;
  anomalies_.push_back(std::move(anomaly));
  best_scores_.emplace_back();
  latest_[member] = anomalies_.size() - 1;
  bool unseen = true;
  double severity = 0;
  for (const Recent& window : recent_) {
    const bool anomalous = window.score(member) > 1;
    severity = std::max(
        0.0, severity + stats::clipped_log2_ratio(window.score(member), 1, options_.filter.least_severity,
                                                  options_.filter.most_severity));
    const bool before = window.position < recent_.back().position;
    if (anomalous && before && track.certain.empty())
      anomalies_.back().growth.push_back({window.end, severity, 0});
    if (anomalous && unseen) {
      anomalies_.back().since = window.start;
      anomalies_.back().first_position = window.position;
      unseen = false;
    }
    extend(anomalies_.back(), window, anomalous);
  }
  anomalies_.back().opened_as = symptom_of(anomalies_.back(), options_.column);
  if (track.reach.empty()) return;
  const Anomaly seen = anomalies_.back();
  reach_back(anomalies_.back(), track.reach[member]);
  if (anomalies_.back().since > seen.since) anomalies_.back() = seen;
}

void AnomalyTracker::reach_back(Anomaly& anomaly, std::size_t windows) {
  const Seen& first = seen_[seen_.size() - std::min(seen_.size(), windows + 1)];
  anomaly.since = first.start;
  anomaly.first_position = first.position;
}

void AnomalyTracker::step(std::size_t member, bool anomalous, const ScoredTrack& track) {
  const ComponentState& state = filter_.states()[member];
  const bool severe = anomalous && state.severity >= options_.gate_severity;
  const bool faulty = state.faulty || severe;
  const std::optional<std::size_t> latest = latest_[member];
  if (latest && recent_.back().position - anomalies_[*latest].last_position <= span()) {
    extend(anomalies_[*latest], recent_.back(), anomalous);
  } else if (faulty) {
    open(member, track);
  } else {
    if (latest) note_well(anomalies_[*latest], recent_.back());
    return;
  }
  Anomaly& anomaly = anomalies_[*latest_[member]];
  anomaly.persistence = std::max(anomaly.persistence, state.persistence);
  anomaly.severity = std::max(anomaly.severity, state.severity);
  if (state.faulty && !anomaly.persistent_since) anomaly.persistent_since = recent_.back().end;
  if (track.certain.empty() && !anomaly.confirmed() && anomaly.growth.size() < kMostGrowth) {
    anomaly.growth.push_back({recent_.back().end, state.severity, state.persistence});
  }
  confirm(anomaly, faulty, track);
}

const ConfirmGate& AnomalyTracker::gate_of(const Anomaly& anomaly) const {
  if (!options_.surge || anomaly.opened_as != Symptom::kMore) return options_.confirm;
  const ComparedLevel level = level_of(anomaly, *options_.column);
  return level.own < options_.surge->factor * level.peers ? options_.surge->confirm : options_.confirm;
}

void AnomalyTracker::confirm(Anomaly& anomaly, bool faulty, const ScoredTrack& track) {
  if (anomaly.confirmed()) return;
  const bool certain = !track.certain.empty() && track.certain[anomaly.member] != 0;
  const auto reached = [&](const ConfirmGate& gate) {
    return anomaly.persistence >= gate.persistence || anomaly.severity >= gate.severity;
  };
  if (!certain && !(faulty && reached(gate_of(anomaly)))) return;
  // What made it suspect, perhaps a day ago, is not what makes it sick now.
  if (certain && !track.reach.empty()) {
    reach_back(anomaly, track.reach[anomaly.member]);
    if (anomaly.faulty_since < anomaly.since)
      anomaly.faulty_since = *(anomaly.persistent_since = recent_.back().end);
  }
  anomaly.as_ever = !certain && track.past != nullptr && is_as_ever(anomaly, *track.past);
  if (!anomaly.as_ever) anomaly.confirmed_since = recent_.back().end;
}

/// A burst of hours is told from sickness when it is over: it was shorter than sickness is, and the member
/// has been well for as long.
void AnomalyTracker::withdraw_burst(std::size_t member, bool anomalous, const ScoredTrack& track) {
  if (stretches_.empty()) return;
  Stretch& stretch = stretches_[member];
  if (anomalous) {
    if (stretch.bad == 0 || stretch.calm >= options_.least_calm) {
      const std::optional<std::int64_t> before = stretch.withdrawn;
      const bool relapse = before && recent_.back().position - *before <= options_.relapse;
      stretch = {.begin = recent_.back().end, .no_burst = relapse, .withdrawn = before};
    }
    ++stretch.bad;
    stretch.calm = 0;
    if (!track.seen_for_long.empty() && track.seen_for_long[member] != 0) stretch.no_burst = true;
    return;
  }
  if (stretch.bad == 0 || recent_.back().idle) return;
  ++stretch.calm;
  if (stretch.no_burst || stretch.bad > options_.longest_burst ||
      stretch.calm < std::max<std::uint64_t>(stretch.bad, options_.least_calm)) {
    return;
  }
  for (Anomaly& anomaly : anomalies_) {
    if (anomaly.member != member || anomaly.opened < stretch.begin || !anomaly.confirmed()) continue;
    anomaly.confirmed_since.reset();
    anomaly.withdrawn = true;
    stretch.withdrawn = recent_.back().position;
  }
  stretch = {.withdrawn = stretch.withdrawn};
}

bool AnomalyTracker::is_as_ever(const Anomaly& anomaly, const OwnPast& past) const {
  std::vector<std::int64_t> anomalous;
  for (const Recent& window : recent_) {
    if (window.score(anomaly.member) > 1) anomalous.push_back(window.position);
  }
  return past.as_ever(anomaly.member, anomalous);
}

std::int64_t AnomalyTracker::anomalous_cells(std::size_t member) const {
  const std::optional<std::size_t> latest = latest_[member];
  if (!latest || is_over(*latest)) return 0;
  const Anomaly& anomaly = anomalies_[*latest];
  return anomaly.last_position - anomaly.first_position + static_cast<std::int64_t>(options_.shift);
}

/// Nothing extends it any more.
bool AnomalyTracker::is_over(std::size_t anomaly) const {
  const Anomaly& one = anomalies_[anomaly];
  return latest_[one.member] != anomaly || recent_.back().position - one.last_position > span();
}

void AnomalyTracker::settle(LevelBook& book) {
  for (std::size_t a = 0; a < anomalies_.size(); ++a) {
    Anomaly& anomaly = anomalies_[a];
    if (anomaly.summary || !is_over(a)) continue;
    anomaly.summary = book.summary(anomaly);
    anomaly.levels.reset();
    keep_records(anomaly.growth);
  }
}

void AnomalyTracker::repaired(std::size_t member) {
  filter_.repaired(member);
  latest_[member].reset();
  if (!stretches_.empty()) stretches_[member] = {};
  for (Recent& window : recent_) window.distance.clear(member);
}

void AnomalyTracker::forget(std::span<const std::uint8_t> keep) {
  LAGGARD_CHECK(keep.size() == anomalies_.size());
  std::vector<std::optional<std::size_t>> place(anomalies_.size());
  std::size_t kept = 0;
  for (std::size_t a = 0; a < anomalies_.size(); ++a) {
    if (keep[a] == 0) continue;
    if (kept < a) {
      anomalies_[kept] = std::move(anomalies_[a]);
      best_scores_[kept] = std::move(best_scores_[a]);
    }
    place[a] = kept++;
  }
  anomalies_.resize(kept);
  best_scores_.resize(kept);
  for (std::optional<std::size_t>& latest : latest_) {
    if (latest) latest = place[*latest];
  }
}

void AnomalyTracker::add(const WindowJudgement& window, const SharedLevelRows& levels,
                         const ScoredTrack& track) {
  const std::size_t n = track.distance.size();
  std::vector<WindowVerdict> verdicts(n);
  for (std::size_t i = 0; i < n; ++i) {
    const bool judged = !std::isnan(track.distance[i]);
    const double score = score_of(track.distance[i], track.threshold[i]);
    verdicts[i] = {judged, score > 1, score, track.below.empty() ? 0 : track.below[i] / track.threshold[i]};
  }
  filter_.update(window.index, verdicts);
  sums_.next_window();
  recent_.push_back({window.position, window.start, window.end, levels, SparseNumbers(track.distance),
                     UniformNumbers(track.threshold), track.trained, track.idle});
  if (recent_.size() > 2 * options_.filter.k - 1) recent_.erase(recent_.begin());
  if (!track.reach.empty()) seen_.push_back({window.start, window.position});
  if (seen_.size() > kLongestReach) seen_.pop_front();
  for (std::size_t i = 0; i < n; ++i) {
    step(i, verdicts[i].anomalous, track);
    withdraw_burst(i, verdicts[i].anomalous, track);
  }
}

}  // namespace laggard::detect
