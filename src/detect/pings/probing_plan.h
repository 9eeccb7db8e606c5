#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "detect/pings/ping_paths.h"
#include "model/grouping.h"
#include "model/parts.h"

namespace laggard::detect {

/// Clients that reach every target over the same parts, so that probes of one tell as much as those of
/// another, but for the client itself.
struct ClientClass {
  std::vector<std::string> clients;  ///< Natural order.
  std::vector<std::string> chosen;   ///< Of them, at random; the others stand in for them.
};

/// Parts that the plan's probes cannot tell apart, or only while little else has failed.
struct HiddenPart {
  Part part;
  std::vector<Part>
      by;               ///< When these have failed nothing tells whether it works; empty: no probe passes it.
  bool always = false;  ///< `by` lies on the same paths: they are one to any probe.
};

struct ProbingPlanOptions {
  std::size_t k = 1;  ///< So many parts that fail at once are to be told apart.
  std::size_t operations = 3;
  Duration interval = std::chrono::minutes(1);
};

/// Who probes what, and what that can tell (K §IV-A).
struct ProbingPlan {
  std::vector<ClientClass> monitors;  ///< Classes that together tell as much as all of them do.
  std::size_t classes = 0;            ///< That there are.
  std::vector<std::string> targets;
  std::size_t parts = 0;           ///< That some probe could pass.
  std::vector<HiddenPart> hidden;  ///< Of those, what is not sufficiently k-identifiable, whoever probes.

  [[nodiscard]] std::size_t clients() const {
    std::size_t count = 0;
    for (const ClientClass& each : monitors) count += each.chosen.size();
    return count;
  }
  /// To each target.
  [[nodiscard]] double probes_per_minute(const ProbingPlanOptions& options) const {
    return 60 / to_seconds(options.interval) * static_cast<double>(clients() * options.operations);
  }
};

/// Every target is probed by one client of each chosen class. Classes are chosen greedily, those first that
/// make most parts k-identifiable that were not, then most parts passed; ties go to the larger class, then by
/// name. Where one class is enough, two of its clients probe: nothing would tell a single one that is sick
/// from a system that is. The monitors themselves are not asked to be identifiable (K: v is no monitor).
/// \param clients, targets  by name, as recorders use them; not empty.
[[nodiscard]] ProbingPlan plan_probes(const Grouping& grouping, std::span<const std::string> clients,
                                      std::span<const std::string> targets, const ProbingPlanOptions& options,
                                      std::mt19937_64& random);

}  // namespace laggard::detect
