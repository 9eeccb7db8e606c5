#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/scale/effect.h"
#include "lab/scale/site.h"
#include "lab/sim/random.h"
#include "model/incident.h"

namespace laggard::lab::scale {

/// What the thesis saw on Intrepid (T Tables 5.3 to 5.6, §6.2.2) and in its experiments (§6.3).
enum class IncidentKind : std::uint8_t {
  kControllerFailed,     ///< 5.3: devices gone on its servers, load on the next priority.
  kServerDown,           ///< 5.3: no data from it at all, load on the next priority.
  kMisconfiguration,     ///< 5.4: cache coherency disabled, zeros on primaries.
  kCoherencyLost,        ///< 5.4: likewise between both controllers after a reboot, devices gone.
  kServiceDown,          ///< 5.4: GPFS does not run on a server, zeros on all its attachments.
  kLunsInaccessible,     ///< 5.4: from some servers of a controller, devices gone.
  kCascadedFailure,      ///< 5.4: LUN resets, waits of 103 s, servers that give LUNs up.
  kDrawerErrors,         ///< 5.5: jitter on many LUNs.
  kSlowLun,              ///< 5.6: sustained above-average await.
  kBusyLun,              ///< 5.6: likewise with a workload of its own.
  kSilentLun,            ///< 5.6: sustained await in absence of a workload.
  kReconstruction,       ///< §6.3 without hot spares: degraded, then rebuilt.
  kReconstructionSpare,  ///< §6.3 with them: rebuilt at once, then copied back.
  kOscillation,          ///< §6.2.2: slow for more than half of every period.
};
inline constexpr std::size_t kIncidentKinds = 14;

/// `controller-failed`, `server-down` ...
[[nodiscard]] std::string_view to_name(IncidentKind kind);
/// The names of all kinds, with commas, for people.
[[nodiscard]] std::string all_incident_kinds();
[[nodiscard]] std::optional<IncidentKind> incident_kind_of(std::string_view name);
/// `T Table 5.3` ...
[[nodiscard]] std::string_view source_of(IncidentKind kind);

/// A problem, what it is to be blamed on, and what it does to the counters.
struct ScaleIncident {
  IncidentKind kind = IncidentKind::kControllerFailed;
  Seconds start = 0;
  Seconds stop = 0;  ///< The end of the recording where it lasts longer.
  Part blame;
  std::vector<Part> accepted;  ///< Others that an operator would call right, too.
  std::string description;
  std::size_t array = 0;
  std::vector<Effect> effects;
  std::vector<Outage> outages;
};

/// Where and when an incident is to happen.
struct IncidentPlace {
  std::size_t array = 0;
  Seconds start = 0;
  Seconds end_of_run = 0;
};

/// Makes one incident: which components of the array, how bad and how long is drawn from `random`.
[[nodiscard]] ScaleIncident make_incident(const SiteSpec& site, IncidentKind kind, const IncidentPlace& place,
                                          Random random);

/// Names of the attachments whose counters it changes directly: lost, slow, stalled or loaded ones. Those
/// that only take over the load of lost ones are in `relieving`.
struct Affected {
  std::vector<std::string> attachments;
  std::vector<std::string> relieving;
};
[[nodiscard]] Affected affected_by(const SiteSpec& site, const ScaleIncident& incident);

}  // namespace laggard::lab::scale
