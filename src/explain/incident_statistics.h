#pragma once

#include <span>

#include "base/time.h"
#include "model/incident.h"
#include "model/incident_statistics.h"

namespace laggard::explain {

/// Sums up incidents by cause, mode, kind of part and part; all but the times of probes. What something else
/// explains, or was withdrawn, is counted and left out of the rest. What operators excluded or repaired was
/// sick nevertheless.
[[nodiscard]] IncidentStatistics statistics_of(std::span<const Incident> incidents, TimeSpan recorded);

}  // namespace laggard::explain
