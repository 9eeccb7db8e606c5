#include "detect/peer/compare/filter.h"

#include <algorithm>
#include <bit>

#include "detect/peer/compare/state_bytes.h"
#include "stats/ratio.h"

namespace laggard::detect {

namespace {

constexpr std::string_view kFilterState = "fault filter";
constexpr std::uint64_t kFilterStateVersion = 2;
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

std::string FaultFilter::save() const {
  StateWriter out(kFilterState, kFilterStateVersion);
  out.put(spec_.k);
  out.put_number(spec_.least_severity);
  out.put_number(spec_.most_severity);
  out.put_number(spec_.leaning);
  out.put_flag(started_);
  out.put_signed(last_window_);
  out.put(states_.size());
  for (const ComponentState& state : states_) {
    out.put(state.history);
    out.put(state.above);
    out.put(state.below);
    out.put_flag(state.faulty);
    out.put_signed(state.persistence);
    out.put_number(state.severity_above);
    out.put_number(state.severity_below);
  }
  return out.take();
}

Result<FaultFilter> FaultFilter::restore(std::string_view bytes) {
  StateReader in(bytes, kFilterState, kFilterStateVersion);
  FilterSpec spec;
  spec.k = in.take();
  spec.least_severity = in.take_number();
  spec.most_severity = in.take_number();
  spec.leaning = in.take_number();
  const bool started = in.take_flag();
  const std::int64_t last_window = in.take_signed();
  const std::uint64_t count = in.take();
  in.require(spec.k >= 1 && spec.k <= kMostK && spec.least_severity <= spec.most_severity);
  std::vector<ComponentState> states;
  for (std::uint64_t i = 0; i < count && in.good(); ++i) {
    ComponentState state;
    state.history = in.take();
    state.above = in.take();
    state.below = in.take();
    state.faulty = in.take_flag();
    state.persistence = in.take_signed();
    state.severity_above = in.take_number();
    state.severity_below = in.take_number();
    state.severity = std::max(state.severity_above, state.severity_below);
    in.require(state.persistence >= 0 && state.severity_above >= 0 && state.severity_below >= 0);
    states.push_back(state);
  }
  if (Status status = in.status(); !status) return forward(status);
  FaultFilter filter(spec, 0);
  filter.started_ = started;
  filter.last_window_ = last_window;
  filter.states_ = std::move(states);
  return filter;
}

}  // namespace laggard::detect
