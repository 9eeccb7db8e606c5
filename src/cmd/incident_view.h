#pragma once

#include <string_view>
#include <vector>

#include "cmd/analysis_setup.h"
#include "cmd/diagnose.h"
#include "model/diagnosis.h"

/// Incidents as operators see them: with what was decided about them, and with those that nobody sees any
/// more because of it.
namespace laggard::cmd {

struct IncidentView {
  AnalysisSetup setup;
  Diagnosis diagnosis;
};

/// The diagnosis with all decisions heeded, and every incident with what was decided about it. Excluding or
/// repairing makes incidents vanish from a diagnosis; these follow at the end, as they are when no decision
/// is heeded, excluded or closed. So with decisions that stand the recordings are judged twice.
[[nodiscard]] Result<IncidentView> view_incidents(const DiagnoseOptions& options);

/// By its id or one of its other names, the one that it had in old versions too; null when there is none.
[[nodiscard]] const Incident* find_incident(const Diagnosis& diagnosis, std::string_view id);

/// The decisions that concern an incident: about any of its names, or about a component or a part of the
/// system that it affects; repairs only when it had begun before. Undone ones too, with their undoing.
[[nodiscard]] std::vector<Decision> decisions_about(const AnalysisSetup& setup, const Incident& incident);

/// What a ledger keeps of an incident.
[[nodiscard]] KnownIncident snapshot(const Incident& incident);

}  // namespace laggard::cmd
