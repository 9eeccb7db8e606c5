#pragma once

#include <string>

#include "model/incident_statistics.h"
#include "report/text.h"

/// What the incidents of months come to: `laggard history`.
namespace laggard::report {

/// One sentence, then a table for each way to look at them. Ends with a line feed.
[[nodiscard]] std::string to_text(const IncidentStatistics& statistics, const TextOptions& options = {});
/// `laggard.history/1` (docs/cmd/history.md): indented JSON with a line feed at the end.
[[nodiscard]] std::string to_json(const IncidentStatistics& statistics);
/// One page with the tables and pictures that needs nothing else.
[[nodiscard]] std::string to_html(const IncidentStatistics& statistics);

/// Milliseconds below which this share of the latencies stayed, to a factor of 1.4; NaN of none.
[[nodiscard]] double latency_at_share(const LatencyTally& tally, double share);

}  // namespace laggard::report
