#include "detect/peer/compare/filter.h"

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "base/state_codec.h"
#include "stats/ratio.h"

namespace laggard::detect {

namespace {

constexpr std::size_t kMostK = 32;

/// The past 2k-1 windows.
std::uint64_t span_mask(std::size_t k) { return (std::uint64_t{1} << (2 * k - 1)) - 1; }

/// Anomalous on one side in k windows more than those that lean to the other.
bool is_faulty(const ComponentState& state, std::size_t k) {
  if (state.history == 0) return false;  // As nearly always.
  const auto count = [](std::uint64_t windows) { return std::popcount(windows); };
  const auto least = static_cast<int>(k);
  return count(state.history & ~state.below) - count(state.below) >= least ||
         count(state.history & state.below) - count(state.above) >= least;
}

std::uint64_t aged(std::uint64_t history, std::uint64_t windows) {
  return windows >= 64 ? 0 : history << windows;
}

}  // namespace

FaultFilter::FaultFilter(const FilterSpec& spec, std::size_t components) : spec_(spec), states_(components) {
  LAGGARD_CHECK(spec.k >= 1 && spec.k <= kMostK && spec.least_severity <= spec.most_severity);
}

std::span<const ComponentState> FaultFilter::update(std::int64_t window,
                                                    std::span<const WindowVerdict> verdicts) {
  LAGGARD_CHECK(verdicts.size() == states_.size() && (!started_ || window > last_window_));
  const std::uint64_t age =
      started_ ? static_cast<std::uint64_t>(window) - static_cast<std::uint64_t>(last_window_) : 1;
  started_ = true;
  last_window_ = window;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const WindowVerdict& verdict = verdicts[i];
    ComponentState& state = states_[i];
    const bool anomalous = verdict.judged && verdict.anomalous;
    const bool below = verdict.judged && verdict.below > spec_.leaning;
    const bool above = verdict.judged && verdict.below == 0 && verdict.score > spec_.leaning;
    const auto append = [&](std::uint64_t& windows, bool now) {
      windows = (aged(windows, age) | (now ? 1U : 0U)) & span_mask(spec_.k);
    };
    append(state.history, anomalous);
    append(state.above, above);
    append(state.below, below);
    state.faulty = is_faulty(state, spec_.k);
    if (!verdict.judged) continue;
    state.persistence = std::max<std::int64_t>(0, state.persistence + (state.faulty ? 1 : -1));
    add_severity(state, verdict);
  }
  return states_;
}

void FaultFilter::add_severity(ComponentState& state, const WindowVerdict& verdict) const {
  const auto clipped = [this](double score) {
    return stats::clipped_log2_ratio(score, 1, spec_.least_severity, spec_.most_severity);
  };
  const bool below = verdict.below > 0;
  const double gain = clipped(verdict.score);
  const double loss = std::min(spec_.least_severity, -clipped(below ? verdict.below : verdict.score));
  state.severity_above = std::max(0.0, state.severity_above + (below ? loss : gain));
  state.severity_below = std::max(0.0, state.severity_below + (below ? gain : loss));
  state.severity = std::max(state.severity_above, state.severity_below);
}

void FaultFilter::repaired(std::size_t component) { states_.at(component) = ComponentState{}; }

template <class State, class Self>
void FaultFilter::exchange(State& state, Self& self) {
  using One = ComponentState;
  state(self.started_, self.last_window_);
  state.columns(self.states_, &One::history, &One::above, &One::below, &One::persistence,
                &One::severity_above, &One::severity_below);
  if constexpr (State::kRestores) {
    const std::uint64_t others = ~span_mask(self.spec_.k);
    for (ComponentState& one : self.states_) {
      state.require(((one.history | one.above | one.below) & others) == 0 && one.persistence >= 0 &&
                    one.severity_above >= 0 && one.severity_below >= 0);
      one.faulty = is_faulty(one, self.spec_.k);
      one.severity = std::max(one.severity_above, one.severity_below);
    }
  }
}
template void FaultFilter::exchange(StateWriter&, const FaultFilter&);
template void FaultFilter::exchange(StateReader&, FaultFilter&);

}  // namespace laggard::detect
