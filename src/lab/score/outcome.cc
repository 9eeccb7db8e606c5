#include "lab/score/outcome.h"

#include <algorithm>
#include <set>

namespace laggard::lab {

Outcome judge(const Truth& truth, std::span<const Accusation> accusations) {
  Outcome outcome;
  bool wrong_cause = false;  // `unknown` is one for F's figures, which know no such answer.
  bool misled = false;
  bool all_right = true;
  std::set<std::string> found;
  for (const Accusation& accusation : accusations) {
    const Truth::Part* const part = truth.part_of(accusation.server);
    if (part == nullptr) {
      outcome.ifp = true;
      continue;
    }
    const bool first = found.insert(accusation.server).second;
    const bool right = is_right_cause(part->fault, accusation.cause);
    if (first) all_right = all_right && right;
    wrong_cause = wrong_cause || !right;
    misled = misled || (!right && accusation.cause != "unknown");
    const Duration latency = std::max(Duration{}, accusation.since - *truth.fault_start);
    outcome.latency = std::min(outcome.latency.value_or(latency), latency);
  }
  outcome.missed = truth.faulty_hosts().size() - found.size();
  outcome.itp = truth.sick() && outcome.missed == 0;
  outcome.dtp = outcome.itp && all_right;
  outcome.dfp = outcome.ifp || wrong_cause;
  outcome.cause_ok = !found.empty() && !misled;
  return outcome;
}

}  // namespace laggard::lab
