#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "engine/detectors.h"
#include "model/grouping.h"
#include "model/incident.h"

namespace laggard::engine {

/// Asks the detectors about whoever is newly accused, once: why this part? The answers stand beside the
/// evidence of the incident for as long as it is kept.
class Examiners {
 public:
  /// How far back a suspicion reaches.
  static constexpr Duration kLookBack = std::chrono::minutes(10);
  /// So many healthy peers are named at most.
  static constexpr std::size_t kMostHealthy = 16;

  /// Both outlive this.
  Examiners(const Grouping& grouping, const Detectors& detectors)
      : grouping_(grouping), detectors_(detectors) {}

  /// Asks about the incidents that were not there before, as they are when everything is complete until `at`;
  /// answers about those that are there no more leave.
  void look(std::span<const Incident> incidents, WallTime at);
  void add_answers(std::vector<Incident>& incidents) const;

 private:
  [[nodiscard]] Suspicion suspicion(const Incident& incident, std::span<const Incident> all,
                                    WallTime at) const;

  const Grouping& grouping_;
  const Detectors& detectors_;
  std::map<std::string, std::vector<Evidence>> answers_;  ///< By the incident's id.
};

}  // namespace laggard::engine
