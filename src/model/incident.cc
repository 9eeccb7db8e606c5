#include "model/incident.h"

#include <array>

namespace laggard {

std::string_view to_name(BlameKind kind) {
  constexpr std::array<std::string_view, 12> kNames{
      "server", "disk", "lun",     "attachment",    "controller",      "array",
      "drawer", "link", "network", "load_balancer", "metadata_server", "client"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::optional<BlameKind> blame_kind(std::string_view name) {
  for (std::size_t k = 0; k < kBlameKinds; ++k) {
    const auto kind = static_cast<BlameKind>(k);
    if (to_name(kind) == name) return kind;
  }
  return std::nullopt;
}

std::string_view to_name(IncidentState state) {
  return state == IncidentState::kConfirmed ? "confirmed" : "suspected";
}

std::string_view to_name(IncidentStatus status) {
  constexpr std::array<std::string_view, 4> kNames{"open", "closed", "excluded", "explained"};
  return kNames[static_cast<std::size_t>(status)];
}

std::string_view to_name(ThresholdOrigin origin) {
  return origin == ThresholdOrigin::kTrained ? "trained" : "self";
}

}  // namespace laggard
