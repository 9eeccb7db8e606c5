#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "detect/pings/ping_paths.h"
#include "model/parts.h"
#include "stats/path_health.h"

namespace laggard::detect {

/// What probes can tell apart: parts that lie on exactly the same paths, and all that stand by for each
/// other, are one unit.
struct PingUnit {
  std::vector<Part> parts;
  std::vector<std::size_t> on;  ///< Paths, grows.
  /// How many of the parts must have failed for the unit to have: all that stand by for each other, or one.
  std::size_t together = 1;
};

/// The units of some paths, and which is whose.
class PingUnits {
 public:
  /// \param probed  which of the paths, grows.
  PingUnits(std::span<const std::vector<PingHop>> paths, std::span<const std::size_t> probed);

  [[nodiscard]] std::span<const PingUnit> all() const { return units_; }
  /// The hops of a path in units, each unit once.
  [[nodiscard]] std::vector<stats::PathHop> hops(std::span<const PingHop> path) const;

 private:
  /// A part by what makes it one: what a site calls such parts does not. Of all that stand by for each other
  /// together, all names.
  using Key = std::pair<PartKind, std::string>;

  [[nodiscard]] static Key key_of(const Part& part) { return {part.kind, part.name}; }
  [[nodiscard]] static Key key_of_all(std::span<const Part> parts);
  void find_pairs(std::span<const PingHop> path);
  [[nodiscard]] bool is_whole(const PingHop& hop) const;
  static void note(std::map<Key, PingUnit>& units, const Key& key, std::span<const Part> parts,
                   std::size_t path);
  [[nodiscard]] std::vector<std::size_t> units_of(const PingHop& hop) const;

  std::vector<PingUnit> units_;
  std::map<Key, std::size_t> unit_of_;
  std::map<Key, std::set<Key>> pairs_of_;  ///< Of a part, the pairs in which it stands by.
};

}  // namespace laggard::detect
