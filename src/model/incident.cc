#include "model/incident.h"

#include <algorithm>
#include <array>

namespace laggard {

namespace {

constexpr std::array<std::string_view, 8> kChangeKinds{"opened", "grew",      "confirmed", "quiet",
                                                       "closed", "withdrawn", "merged",    "explained"};

}  // namespace

std::string_view to_name(IncidentState state) {
  return state == IncidentState::kConfirmed ? "confirmed" : "suspected";
}

std::string_view to_name(IncidentStatus status) {
  constexpr std::array<std::string_view, 5> kStatusNames{"open", "closed", "excluded", "explained",
                                                         "withdrawn"};
  return kStatusNames[static_cast<std::size_t>(status)];
}

std::string_view to_name(ThresholdOrigin origin) {
  return origin == ThresholdOrigin::kTrained ? "trained" : "self";
}

std::string_view to_name(FailureMode mode) {
  return mode == FailureMode::kReliability ? "reliability" : "overload";
}

const IncidentDecision* last_act(const Incident& incident) {
  const IncidentDecision* last = nullptr;
  for (const IncidentDecision& decision : incident.decisions) {
    if (!decision.undone && decision.what != "noted") last = &decision;
  }
  return last;
}

std::string_view to_name(ChangeKind kind) { return kChangeKinds[static_cast<std::size_t>(kind)]; }

bool is_gone(ChangeKind kind) {
  return kind == ChangeKind::kWithdrawn || kind == ChangeKind::kMerged || kind == ChangeKind::kExplained;
}

std::optional<ChangeKind> change_kind(std::string_view name) {
  const auto found = std::ranges::find(kChangeKinds, name);
  if (found == kChangeKinds.end()) return std::nullopt;
  return static_cast<ChangeKind>(found - kChangeKinds.begin());
}

}  // namespace laggard
