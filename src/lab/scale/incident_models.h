#pragma once

#include "lab/scale/incident_builder.h"

/// One small model for each kind of incident: what it is, for how long, and what it does to which
/// attachments. The thesis gives the shapes (which attachments, which way); magnitudes that it does not give
/// are ours and stand in the models.
namespace laggard::lab::scale {

/// Attachments are lost (T Tables 5.3 and 5.4; lost_attachments.cc).
[[nodiscard]] ScaleIncident controller_failed(IncidentBuilder& b);
[[nodiscard]] ScaleIncident server_down(IncidentBuilder& b);
[[nodiscard]] ScaleIncident misconfiguration(IncidentBuilder& b);
[[nodiscard]] ScaleIncident coherency_lost(IncidentBuilder& b);
[[nodiscard]] ScaleIncident service_down(IncidentBuilder& b);
[[nodiscard]] ScaleIncident luns_inaccessible(IncidentBuilder& b);
[[nodiscard]] ScaleIncident cascaded_failure(IncidentBuilder& b);

/// LUNs are slow (T Tables 5.5 and 5.6, §6.2.2, §6.3; slow_luns.cc).
[[nodiscard]] ScaleIncident drawer_errors(IncidentBuilder& b);
[[nodiscard]] ScaleIncident slow_lun(IncidentBuilder& b);
[[nodiscard]] ScaleIncident busy_lun(IncidentBuilder& b);
[[nodiscard]] ScaleIncident silent_lun(IncidentBuilder& b);
[[nodiscard]] ScaleIncident reconstruction(IncidentBuilder& b);
[[nodiscard]] ScaleIncident reconstruction_spare(IncidentBuilder& b);
[[nodiscard]] ScaleIncident oscillation(IncidentBuilder& b);

}  // namespace laggard::lab::scale
