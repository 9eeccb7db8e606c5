#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/scale/site.h"
#include "lab/sim/raid.h"
#include "lab/sim/random.h"
#include "model/incident.h"

namespace laggard::lab::scale {

/// Seconds since the recording began.
using Seconds = std::int64_t;
inline constexpr Seconds kHour = 3600;
inline constexpr Seconds kDay = 24 * kHour;

/// How an attachment is lost (T §5.7.1): its block device is gone, or it exists but is not used.
enum class Lost : std::uint8_t { kNot, kUnused, kAbsent };

/// What is wrong with one disk of each LUN.
struct SickDisk {
  std::size_t disk = 0;  ///< Position in the LUN's group.
  DiskAilment ailment;
};

/// The state of a LUN's group after a disk was lost (T §6.3).
enum class Repair : std::uint8_t { kNone, kDegraded, kRebuilding, kCopyingBack };

/// Requests in addition to those that the file system spreads over all LUNs: each by itself, anywhere on the
/// LUN.
struct RequestRate {
  double reads_per_s = 0;
  double writes_per_s = 0;
};

/// Small requests, which the controllers have in their memory or read from one place.
struct SmallRequests {
  RequestRate rate;
  double sectors = 8;
  bool cached = true;
  SimTime retry{};  ///< The place is bad: a disk of the LUN tries it again for so long.
};

/// What happens to some LUNs of one array, as seen through some of its servers, in (from, to].
struct Effect {
  Seconds from = 0;
  Seconds to = 0;
  std::size_t array = 0;
  LunMask luns;
  /// The servers whose attachments are lost or get `at_servers`; the rest of an effect applies to whichever
  /// server serves the LUN.
  ServerMask servers;
  Lost lost = Lost::kNot;
  std::optional<SickDisk> sick;
  Repair repair = Repair::kNone;
  RequestRate load;
  std::optional<SmallRequests> at_servers;  ///< Through each of `servers`, whatever the priorities.
  bool stalled = false;                     ///< Nothing completes; what waits completes at the end.

  [[nodiscard]] bool covers(Seconds t) const { return from < t && t <= to; }
};

/// A server that is down: it records nothing and serves nothing. Its counters start from zero when it is
/// back.
struct Outage {
  std::size_t array = 0;
  std::size_t server = 0;  ///< Of the array.
  Seconds from = 0;
  Seconds to = 0;
};

/// Small requests that a file server makes itself (T §5.8.2): through its own attachments whatever their
/// priority, and through the primaries of all other LUNs.
struct ServerWork {
  std::size_t array = 0;
  std::size_t server = 0;
  Seconds from = 0;
  Seconds to = 0;
  std::optional<std::size_t> pool;  ///< Only on LUNs of this pool.
  SmallRequests requests;
};

/// A server's clock is set: its sample times are off by `by` seconds from then on (T §5.9).
struct ClockStep {
  std::size_t array = 0;
  std::size_t server = 0;
  Seconds at = 0;
  Seconds by = 0;
};

/// The problems that the thesis reports from Intrepid (T Tables 5.3 to 5.6, §6.2.2) and from experiments
/// (§6.3).
enum class IncidentKind : std::uint8_t {
  kControllerFailed,     ///< 5.3: devices gone on its servers, load at the next priority.
  kServerDown,           ///< 5.3: no data from it at all, load at the next priority.
  kMisconfiguration,     ///< 5.4: cache coherency disabled, zeros on primaries.
  kCoherencyLost,        ///< 5.4: likewise between both controllers after a reboot, devices gone.
  kServiceDown,          ///< 5.4: GPFS does not run on a server, zeros on all its attachments.
  kLunsInaccessible,     ///< 5.4: from some servers of a controller, devices gone.
  kCascadedFailure,      ///< 5.4: LUN resets, waits of 103 s, servers that give LUNs up.
  kDrawerErrors,         ///< 5.5: jitter on many LUNs.
  kSlowLun,              ///< 5.6: sustained above-average await.
  kBusyLun,              ///< 5.6: likewise with an additional workload.
  kSilentLun,            ///< 5.6: sustained await in absence of a workload.
  kReconstruction,       ///< §6.3 without hot spares: degraded, then rebuilt.
  kReconstructionSpare,  ///< §6.3 with them: rebuilt at once, then copied back.
  kOscillation,          ///< §6.2.2: slow for more than half of every period.
};
inline constexpr std::size_t kIncidentKinds = 14;

/// `controller-failed`, `server-down` ...
[[nodiscard]] std::string_view to_name(IncidentKind kind);
/// The names of all kinds, separated by commas, for messages.
[[nodiscard]] std::string all_incident_kinds();
[[nodiscard]] std::optional<IncidentKind> incident_kind_of(std::string_view name);
/// `T Table 5.3` ...
[[nodiscard]] std::string_view source_of(IncidentKind kind);

/// A problem, the part that is to blame, and its effect on the counters.
struct ScaleIncident {
  IncidentKind kind = IncidentKind::kControllerFailed;
  Seconds start = 0;
  Seconds stop = 0;  ///< At most the end of the recording.
  Part blame;
  std::vector<Part> accepted;  ///< Other parts that an operator would call right, too.
  std::string description;
  std::size_t array = 0;
  std::vector<Effect> effects;
  std::vector<Outage> outages;
};

/// Where and when an incident happens.
struct IncidentPlace {
  std::size_t array = 0;
  Seconds start = 0;
  Seconds end_of_run = 0;
};

/// Makes one incident; its components, severity and duration are drawn from `random`.
[[nodiscard]] ScaleIncident make_incident(const SiteSpec& site, IncidentKind kind, const IncidentPlace& place,
                                          Random random);

/// Names of the attachments whose counters an incident changes directly, because they are lost, slow, stalled
/// or loaded, in `relieving` of those that only take over the load of lost ones, and in `slowed` of those
/// whose requests pass the controller that repairs a LUN.
struct Affected {
  std::vector<std::string> attachments;
  std::vector<std::string> relieving;
  std::vector<std::string> slowed;
};
[[nodiscard]] Affected affected_by(const SiteSpec& site, const ScaleIncident& incident);

}  // namespace laggard::lab::scale
