#pragma once

#include <span>
#include <string>

#include "model/incident.h"

namespace laggard::report {

/// As T Fig 5.3: a line for every hour, with accumulator and component of the most persistent anomalies,
/// decreasing.
///     2011-04-17T00:00:00Z  7 s61/lun102  6 s65/lun74
/// An hour without any has a dash.
[[nodiscard]] std::string to_history_text(std::span<const PersistenceRow> rows);

/// The same for programs: `from,rank,persistence,severity,group,component`, one line for each place in the
/// list.
[[nodiscard]] std::string to_history_csv(std::span<const PersistenceRow> rows);

}  // namespace laggard::report
