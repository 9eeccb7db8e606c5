#include "model/incident.h"

#include <array>

namespace laggard {

std::string_view to_name(IncidentState state) {
  return state == IncidentState::kConfirmed ? "confirmed" : "suspected";
}

std::string_view to_name(IncidentStatus status) {
  constexpr std::array<std::string_view, 4> kStatusNames{"open", "closed", "excluded", "explained"};
  return kStatusNames[static_cast<std::size_t>(status)];
}

std::string_view to_name(ThresholdOrigin origin) {
  return origin == ThresholdOrigin::kTrained ? "trained" : "self";
}

const IncidentDecision* last_act(const Incident& incident) {
  const IncidentDecision* last = nullptr;
  for (const IncidentDecision& decision : incident.decisions) {
    if (!decision.undone && decision.what != "noted") last = &decision;
  }
  return last;
}

}  // namespace laggard
