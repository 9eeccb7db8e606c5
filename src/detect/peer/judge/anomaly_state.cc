// What anomaly trackers save and restore.
#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include "base/error.h"
#include "base/state_codec.h"
#include "detect/peer/judge/anomalies.h"

namespace laggard::detect {

const TrackedGroup::Levels* TrackedGroup::find(WallTime start) const {
  const auto found = std::ranges::find(recent, start, &Levels::start);
  return found == recent.end() ? nullptr : &*found;
}

/// \param most  windows there can be.
template <class State>
void TrackedGroup::exchange_recent(State& state, std::size_t most) {
  std::size_t count = recent.size();
  state(count);
  state.require(count <= most);
  if constexpr (State::kRestores) recent.resize(state.ok() ? count : 0);
  for (Levels& levels : recent) {
    state(levels.start);
    LevelRows rows(columns);
    if constexpr (!State::kRestores) rows = *levels.rows;
    for (std::vector<double>& row : rows) {
      state.numbers(row, members);
      state.require(row.size() == members);
    }
    if constexpr (State::kRestores) levels.rows = std::make_shared<const LevelRows>(std::move(rows));
  }
}
template void TrackedGroup::exchange_recent(StateWriter&, std::size_t);
template void TrackedGroup::exchange_recent(StateReader&, std::size_t);

template <class State, class Self>
void LevelSums::exchange(State& state, Self& self, const TrackedGroup& group) {
  if constexpr (State::kRestores) self.sums_.resize(group.columns);
  state.require(self.sums_.size() == group.columns);
  for (auto& column : self.sums_) {
    state.numbers(column.sum, group.members);
    state.numbers(column.count, group.members);
    state.require(column.sum.size() == group.members && column.count.size() == group.members);
  }
}

std::size_t AnomalyTracker::windows_kept() const {
  return std::min(recent_.size(), 2 * options_.filter.k - 2);
}

void AnomalyTracker::list_recent(TrackedGroup& group) const {
  for (std::size_t w = recent_.size() - windows_kept(); w < recent_.size(); ++w) {
    const Recent& window = recent_[w];
    if (group.find(window.start) == nullptr) group.recent.push_back({window.start, window.levels});
  }
}

template <class State, class Self>
void AnomalyTracker::Recent::exchange(State& state, Self& self, const TrackedGroup& group) {
  state(self.position, self.start, self.end, self.trained, self.idle);
  std::vector<double> distance = self.distance.of(group.members);
  std::vector<double> threshold = self.threshold.of(group.members);
  state.numbers(distance, group.members);
  state.numbers(threshold, group.members);
  state.require(distance.size() == group.members && threshold.size() == group.members);
  // Whose distances no longer count: they were saved as they had been.
  std::vector<std::uint8_t> repaired(group.members, 0);
  state.numbers(repaired, group.members);
  if constexpr (State::kRestores) {
    const TrackedGroup::Levels* const levels = group.find(self.start);
    state.require(repaired.size() == group.members && levels != nullptr);
    if (!state.ok()) return;
    self.levels = levels->rows;
    for (std::size_t i = 0; i < group.members; ++i) {
      if (repaired[i] != 0) distance[i] = 0;
    }
    self.distance = SparseNumbers(distance);
    self.threshold = UniformNumbers(threshold);
  }
}

template <class State, class Self>
void AnomalyTracker::exchange_recent(State& state, Self& self, const TrackedGroup& group) {
  std::size_t count = self.windows_kept();
  state(count);
  state.require(count + 1 < 2 * self.options_.filter.k);
  if constexpr (State::kRestores) self.recent_.resize(state.ok() ? count : 0);
  for (std::size_t w = self.recent_.size() - (state.ok() ? count : 0); w < self.recent_.size(); ++w) {
    Recent::exchange(state, self.recent_[w], group);
  }
}

template <class State, class Self>
void AnomalyTracker::exchange_seen(State& state, Self& self) {
  std::vector<WallTime> starts;
  std::vector<std::int64_t> steps;  ///< From one position to the next, most of them alike.
  std::int64_t last = 0;
  if constexpr (!State::kRestores) {
    for (const Seen& seen : self.seen_) {
      starts.push_back(seen.start);
      steps.push_back(seen.position - std::exchange(last, seen.position));
    }
  }
  state.times(starts, kLongestReach);
  state.numbers(steps, kLongestReach);
  state.require(starts.size() == steps.size());
  if constexpr (State::kRestores) {
    if (!state.ok()) return;
    for (std::size_t w = 0; w < starts.size(); ++w) {
      last =
          static_cast<std::int64_t>(static_cast<std::uint64_t>(last) + static_cast<std::uint64_t>(steps[w]));
      self.seen_.push_back({starts[w], last});
    }
  }
}

namespace {

/// The sums of the anomalies that go on, each once however many share it, and which are whose: per anomaly,
/// counted from 1; 0: it is over.
struct ListedSums {
  std::vector<SharedLevelSums::Ptr> sums;
  std::vector<std::size_t> which;

  explicit ListedSums(const std::vector<Anomaly>& anomalies) {
    std::map<const LevelSums*, std::size_t> known;
    which.reserve(anomalies.size());
    for (const Anomaly& anomaly : anomalies) {
      if (!anomaly.levels) {
        which.push_back(0);
        continue;
      }
      const auto [place, is_new] = known.try_emplace(anomaly.levels.get(), sums.size());
      if (is_new) sums.push_back(anomaly.levels);
      which.push_back(place->second + 1);
    }
  }
};

}  // namespace

template <class State, class Self>
void AnomalyTracker::exchange_levels(State& state, Self& self, const TrackedGroup& group) {
  auto [sums, which] = State::kRestores ? ListedSums({}) : ListedSums(self.anomalies_);
  state.numbers(which, self.anomalies_.size());
  std::size_t count = sums.size();
  state(count);
  state.require(which.size() == self.anomalies_.size() && count <= which.size());
  for (std::size_t a = 0; a < which.size() && state.ok(); ++a) {
    state.require(which[a] <= count && (which[a] == 0) == self.anomalies_[a].summary.has_value());
  }
  if (State::kRestores && state.ok()) {
    std::generate_n(std::back_inserter(sums), count, [] { return std::make_shared<LevelSums>(); });
  }
  for (const SharedLevelSums::Ptr& one : sums) {
    if constexpr (State::kRestores) {
      LevelSums::exchange(state, *one, group);
    } else {
      LevelSums::exchange(state, std::as_const(*one), group);
    }
  }
  if constexpr (State::kRestores) {
    if (!state.ok()) return;
    for (std::size_t a = 0; a < which.size(); ++a) {
      if (which[a] > 0) self.anomalies_[a].levels = sums[which[a] - 1];
    }
  }
}

namespace {

/// Starts and ends of windows, which are short beside each other.
template <class State, class Self>
void exchange_moments(State& state, Self& self) {
  const std::array maybe{&self.persistent_since, &self.confirmed_since, &self.until};
  std::vector<WallTime> moments{self.since, self.faulty_since, self.opened, self.worst_window};
  const std::size_t always = moments.size();
  std::array<bool, maybe.size()> there{};
  for (std::size_t m = 0; m < maybe.size(); ++m) {
    there[m] = maybe[m]->has_value();
    state(there[m]);
    if (!State::kRestores && there[m]) moments.push_back(**maybe[m]);
  }
  state.times(moments, always + maybe.size());
  state.require(moments.size() == always + static_cast<std::size_t>(std::ranges::count(there, true)));
  if constexpr (State::kRestores) {
    if (!state.ok()) return;
    self.since = moments[0];
    self.faulty_since = moments[1];
    self.opened = moments[2];
    self.worst_window = moments[3];
    auto next = moments.begin() + static_cast<std::ptrdiff_t>(always);
    for (std::size_t m = 0; m < maybe.size(); ++m) {
      if (there[m]) *maybe[m] = *next++;
    }
  }
}

template <class State, class Self>
void exchange_growth(State& state, Self& growth) {
  std::vector<WallTime> at;
  std::vector<double> severity;
  std::vector<std::int64_t> persistence;
  for (const Growth& one : growth) {
    at.push_back(one.at);
    severity.push_back(one.severity);
    persistence.push_back(one.persistence);
  }
  state.times(at, kMostGrowth);
  state.numbers(severity, kMostGrowth);
  state.numbers(persistence, kMostGrowth);
  state.require(at.size() == severity.size() && at.size() == persistence.size());
  if constexpr (State::kRestores) {
    for (std::size_t g = 0; g < at.size() && state.ok(); ++g)
      growth.push_back({at[g], severity[g], persistence[g]});
  }
}

}  // namespace

template <class State, class Self>
void Anomaly::exchange(State& state, Self& self) {
  state(self.member);
  exchange_moments(state, self);
  state.enumerator(self.opened_as, Symptom::kComputing);
  state(self.first_position, self.last_position, self.persistence, self.severity, self.strength,
        self.distance, self.threshold, self.score);
  state.times(self.windows, kMostWindows);
  exchange_growth(state, self.growth);
  state(self.bad, self.well, self.pauses, self.well_since, self.trained, self.as_ever, self.withdrawn,
        self.summary);
}

template <class State, class Self>
void AnomalyTracker::exchange_anomalies(State& state, Self& self) {
  state(self.anomalies_);
  if constexpr (State::kRestores) {
    self.best_scores_.resize(self.anomalies_.size());
    for (Anomaly& anomaly : self.anomalies_) {
      state.require(anomaly.member < self.latest_.size());
      anomaly.group = self.group_;
      anomaly.metric = self.metric_;
      anomaly.detector = self.detector_;
    }
  }
  for (auto& best : self.best_scores_) {
    state.numbers(best, self.options_.filter.k);
    state.require(!best.empty());
  }
  std::vector<std::size_t> latest;  ///< Counted from 1; 0: none.
  if constexpr (!State::kRestores) {
    for (const auto& one : self.latest_) latest.push_back(one ? *one + 1 : 0);
  }
  state.numbers(latest, self.latest_.size());
  state.require(latest.size() == self.latest_.size());
  if constexpr (State::kRestores) {
    if (!state.ok()) return;
    for (std::size_t i = 0; i < latest.size(); ++i) {
      state.require(latest[i] <= self.anomalies_.size());
      if (latest[i] > 0) self.latest_[i] = latest[i] - 1;
    }
  }
}

template <class State, class Self>
void AnomalyTracker::exchange(State& state, Self& self, const TrackedGroup& group) {
  state(self.filter_);
  exchange_recent(state, self, group);
  exchange_seen(state, self);
  for (auto& stretch : self.stretches_)
    state(stretch.begin, stretch.bad, stretch.calm, stretch.no_burst, stretch.withdrawn);
  exchange_anomalies(state, self);
  exchange_levels(state, self, group);
}
template void AnomalyTracker::exchange(StateWriter&, const AnomalyTracker&, const TrackedGroup&);
template void AnomalyTracker::exchange(StateReader&, AnomalyTracker&, const TrackedGroup&);

}  // namespace laggard::detect
