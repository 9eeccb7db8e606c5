#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "base/time.h"
#include "detect/pings/ping_localizer.h"
#include "detect/pings/ping_paths.h"
#include "lab/score/production_score.h"
#include "model/event.h"
#include "model/grouping.h"

namespace laggard::lab {

/// NetBouncer as it would watch the same probes: each minute by those of the last five. All that a hop may
/// pass comes one after the other on its path; a part has failed below the health at which laggard calls it
/// failed, too.
class NetBouncerWatch {
 public:
  explicit NetBouncerWatch(const Grouping& grouping) : ways_(grouping) {}

  void take(const EventTable& pings);
  void complete(WallTime until);
  /// A part that fails in minutes that follow each other is one alarm.
  [[nodiscard]] std::vector<Alarm> alarms() const;

 private:
  [[nodiscard]] std::size_t path_of(const detect::PingPair& pair);

  detect::PingPaths ways_;
  std::map<detect::PingPair, std::size_t> numbers_;
  std::vector<std::vector<std::size_t>> paths_;  ///< In units.
  std::map<std::pair<PartKind, std::string>, std::size_t> units_;
  std::vector<Part> parts_;
  std::map<std::size_t, detect::PingCounts> now_;
  std::deque<std::map<std::size_t, detect::PingCounts>> minutes_;
  std::map<std::size_t, Alarm> open_;  ///< By unit.
  std::vector<Alarm> over_;
};

}  // namespace laggard::lab
