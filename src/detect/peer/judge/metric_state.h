#pragma once

#include <string>

#include "model/metric.h"

namespace laggard::detect {

/// A metric in a saved state: by its name, so that a state is of no use to a version that knows it no more.
template <class State>
void exchange_metric(State& state, const MetricSpec*& metric) {
  std::string name;
  if constexpr (!State::kRestores) name = metric->name;
  state(name);
  if constexpr (State::kRestores) {
    metric = find_metric(name);
    state.require(metric != nullptr);
  }
}
template <class State>
void exchange_metric(State& state, const MetricSpec* const& metric) {
  const MetricSpec* same = metric;
  exchange_metric(state, same);
}

}  // namespace laggard::detect
