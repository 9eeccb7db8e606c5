#pragma once

#include <cstdint>
#include <string>

#include "model/grouping.h"

namespace laggard::engine {

struct DiagnoserOptions;

/// What a diagnoser knows when all windows up to some cell have been judged: enough for another one, on the
/// same recording read from a little before that cell (Shard), to go on as if it were the first. Smoothing,
/// windows and meters are not in it: samples make them anew.
struct Checkpoint {
  std::uint64_t fingerprint = 0;  ///< Of what the state depends on.
  std::int64_t after = 0;         ///< The last cell of the grid that has been judged.
  std::string state;              ///< base/state_codec.h

  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    state(self.fingerprint, self.after, self.state);
  }
};

/// Of everything that a diagnoser's state depends on: groups and their members, windows, metrics, parameters,
/// thresholds, operators' interventions. Not of rules, known incidents and who runs through which part: they
/// are asked anew for every verdict.
[[nodiscard]] std::uint64_t state_fingerprint(const Grouping& grouping, const DiagnoserOptions& options);

}  // namespace laggard::engine
