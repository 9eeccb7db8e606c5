#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "analyse/explain/part_map.h"
#include "model/incident.h"
#include "model/system/grouping.h"

namespace laggard::analyse {

/// A part of the system that explains why some components are sick, and the components that it explains.
struct Blamed {
  Blame blame;
  std::vector<std::size_t> components;  ///< Indices into Grouping::components, ascending.
  std::vector<Blame> alternatives;      ///< Parts that explain the same components nearly as well.
};

/// Which parts of the system explain components that are affected at one time (T §8.1, methods.md §5): the
/// shared part most common to the affected and least common to the unaffected; then the same for what it
/// leaves unexplained, so that two problems come out as two.
///
/// Tally says which parts may be blamed, and what each gains. Blamed is the one that gains most; between
/// equals the one with the larger share, then the larger part.
///
/// \param affected  indices into `grouping.components`.
[[nodiscard]] std::vector<Blamed> find_blame(const Grouping& grouping, std::span<const std::size_t> affected);
[[nodiscard]] std::vector<Blamed> find_blame(const PartMap& map, std::span<const std::size_t> affected);

}  // namespace laggard::analyse
