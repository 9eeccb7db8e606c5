#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/production/site.h"
#include "lab/sim/random.h"
#include "model/incident.h"

namespace laggard::lab::production {

/// Seconds since the simulated stretch began.
using Seconds = std::int64_t;

/// What goes wrong (K §II-B, §VI-A, §VII).
enum class IncidentKind : std::uint8_t {
  kDiskRebuild,       ///< §VII-A: a disk has failed, its target rebuilds and serves slowly.
  kDiskLimps,         ///< Requests to a target run into errors that are retried.
  kServerHangs,       ///< No request to it returns, and it is not failed over.
  kServerLimps,       ///< A share of its requests waits for seconds.
  kFailover,          ///< It is down for minutes, then its partner serves for both.
  kRouterDrops,       ///< §VII-C: one of a group drops what it is given; heartbeats pass.
  kMetadataHangs,     ///< Fig. 10: a metadata server.
  kRackLoses,         ///< The switch of a rack loses requests.
  kClientLimps,       ///< A monitor itself.
  kRebuildChain,      ///< §II-B: a rebuild, then both servers of the pair are overloaded, then hang.
  kTargetOverload,    ///< A job that reads and writes one target.
  kServerOverload,    ///< A job that floods one server.
  kStripedOverload,   ///< A job that is striped over several targets.
  kMetadataOverload,  ///< §VII-B: opens and closes.
};
inline constexpr std::size_t kIncidentKinds = 14;
[[nodiscard]] std::string_view to_name(IncidentKind kind);
[[nodiscard]] FailureMode mode_of(IncidentKind kind);

/// What requests queue at, or pass.
enum class Stage : std::uint8_t { kTarget, kServer, kRouter, kMetadata, kRack, kClient };
inline constexpr std::size_t kStages = 6;

/// What happens to one thing that requests pass. The defaults change nothing.
struct Effect {
  Stage stage = Stage::kTarget;
  std::size_t index = 0;
  Seconds from = 0;
  Seconds to = 0;
  double load = 0;      ///< Work that arrives besides, in seconds a second, before those who wait hold back.
  double capacity = 1;  ///< Share of its speed that is left.
  double loses = 0;     ///< This share of requests is never answered.
  double delays = 0;    ///< This share waits ...
  double delay_s = 0;   ///< ... that much longer in the mean (exponential), ...
  double least_delay_s = 0;  ///< ... and at least that much.
  bool hangs = false;        ///< Nothing is answered.
  bool fails_over = false;   ///< Of a server: its partner serves its targets.
};

/// A part that is sick, and those that probes cannot tell from it.
struct Trouble {
  Part part;
  std::vector<Part> alike;
};

/// An incident and the truth about it.
struct ProductionIncident {
  IncidentKind kind = IncidentKind::kTargetOverload;
  bool transient = false;  ///< It heals by itself, before anybody would repair it.
  Seconds start = 0;
  Seconds stop = 0;
  std::vector<Trouble> troubles{};   ///< All of them are sick by themselves.
  std::vector<Part> consequences{};  ///< What gets sick by them: right, but not the cause.
  std::vector<Effect> effects{};
};

/// Makes an incident; what is hit and how hard is drawn from `random`.
/// \param clients  the monitors, of which one may be sick.
[[nodiscard]] ProductionIncident make_incident(IncidentKind kind, Seconds start, Seconds stop, Random random,
                                               const std::vector<Part>& clients);

/// The kind of the incident of a number. Of 843 in a row 346 are reliability and 497 overload, as in K Table
/// I; the proportions of single kinds are ours.
[[nodiscard]] IncidentKind draw_kind(std::uint64_t number, Random& random);

/// What comes and goes by itself during a stretch: overloads that last less than 30 minutes, as often as K
/// §VI-A found them (25,427 in two years), and losses that the network heals within a minute.
[[nodiscard]] std::vector<ProductionIncident> make_transients(Seconds length, const Random& random,
                                                              const std::vector<Part>& clients);

}  // namespace laggard::lab::production
