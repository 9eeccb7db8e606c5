#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "lab/production/incident.h"
#include "lab/production/probes.h"
#include "lab/score/production_score.h"
#include "model/grouping.h"

namespace laggard::lab {

/// Makes the stretch of a number: the monitors, an incident in its first third unless it is healthy, and what
/// comes and goes by itself. \param kind  of the incident; nothing: of the number's choice.
[[nodiscard]] production::Stretch make_stretch(std::uint64_t seed, std::uint64_t number, bool is_healthy,
                                               std::optional<production::IncidentKind> kind = {});

/// The parts of the site, as laggard reads its system file.
[[nodiscard]] Result<Grouping> production_grouping();

/// What came of one stretch.
struct StretchResult {
  StretchScore ours;
  StretchScore netbouncer;
  std::uint64_t probes = 0;
  std::uint64_t failed = 0;
  double prompt_share = 0;
  double judged_s = 0;  ///< Processor time of the diagnosis.
};

struct RunOptions {
  std::uint64_t seed = 2;    ///< Of the site.
  std::uint64_t number = 0;  ///< Of the stretch, whose probes it decides.
  bool netbouncer = true;    ///< Has it judge the same probes.
  /// Of what is broken so much leaves no line in any log; nothing: as the site has it.
  std::optional<double> silent{};
};

/// Simulates a stretch and has its pings diagnosed by the engine, beside the logs and the load of its hosts,
/// as `laggard watch` would with the preset lab, and by NetBouncer each minute by the last five.
[[nodiscard]] Result<StretchResult> run_stretch(const Grouping& grouping, const production::Stretch& stretch,
                                                const RunOptions& how);

}  // namespace laggard::lab
