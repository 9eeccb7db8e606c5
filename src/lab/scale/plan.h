#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "lab/scale/incident.h"
#include "lab/scale/site.h"

namespace laggard::lab::scale {

/// What its clients do: jobs come and go, or four clients copy without a pause (dd, T §6.3).
enum class Workload : std::uint8_t { kJobs, kRead, kWrite };

/// The site to simulate, and what happens on it.
struct ScaleSpec {
  SiteSpec site;
  WallTime start = from_unix_ns(1'304'899'205'000'000'000);  ///< T's median day, 2011-05-09, 00:00:05.
  Seconds duration = kDay;
  Seconds interval = 15;
  std::uint64_t seed = 1;
  Workload workload = Workload::kJobs;
  std::vector<IncidentKind> incidents;  ///< Each at a random place and time ...
  std::size_t random_incidents = 0;     ///< ... and that many further ones of random kinds.
  /// Short asymmetries that are nobody's fault (T §6.2.2): per LUN and day.
  double transients = 0.1;
  bool server_work = true;
  bool clock_steps = true;

  [[nodiscard]] std::size_t samples() const { return static_cast<std::size_t>(duration / interval) + 1; }
  [[nodiscard]] double days() const { return static_cast<double>(duration) / kDay; }
};

/// A short asymmetry: one LUN or a few are busier or slower for minutes to an hour. It is not an incident.
struct Transient {
  std::string what;  ///< busy, slow
  Effect effect;
};

/// Everything unusual in a recording, decided before the first sample.
struct Plan {
  std::vector<ScaleIncident> incidents;  ///< By start.
  std::vector<Transient> transients;     ///< By start.
  std::vector<ServerWork> server_work;
  std::vector<ClockStep> clock_steps;
};

/// Incidents are spread over the arrays: no array has two before every array has one. Each part of the plan
/// has its own random stream, so that adding incidents does not change transients, loads or clocks.
[[nodiscard]] Plan make_plan(const ScaleSpec& spec);

}  // namespace laggard::lab::scale
