#include "lab/score/outcome.h"

#include <algorithm>

namespace laggard::lab {

std::string cause_of(const std::string& fault) {
  if (fault.ends_with("network-hog")) return "network-hog";
  if (fault.ends_with("pktloss")) return "packet-loss";
  return fault;
}

Outcome judge(const Truth& truth, std::span<const Accusation> accusations) {
  Outcome outcome;
  bool wrong_cause = false;
  for (const Accusation& accusation : accusations) {
    if (!truth.sick() || accusation.server != truth.faulty_server) {
      outcome.ifp = true;
      continue;
    }
    const bool first = !outcome.itp;
    outcome.itp = true;
    const bool right = accusation.cause == cause_of(truth.fault);
    if (first) outcome.dtp = right;
    wrong_cause = wrong_cause || !right;
    const Duration latency = std::max(Duration{}, accusation.since - *truth.fault_start);
    outcome.latency = std::min(outcome.latency.value_or(latency), latency);
  }
  outcome.dfp = outcome.ifp || wrong_cause;
  return outcome;
}

}  // namespace laggard::lab
