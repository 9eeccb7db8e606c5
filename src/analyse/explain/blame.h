#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/incident.h"
#include "model/system/grouping.h"

namespace laggard::analyse {

/// A part of the system that explains why some components are sick, and the components that it explains.
struct Blamed {
  Blame blame;
  std::vector<std::size_t> components;  ///< Indices into Grouping::components, ascending.
  std::vector<Blame> alternatives;      ///< Parts that explain the same components nearly as well.
};

/// Which parts of the system explain the affected components (T §8.1, methods.md §5): the shared part most
/// common to the affected and least common to the unaffected; then the same for what it leaves unexplained,
/// so that two problems come out as two.
///
/// A part's share is the largest, over kinds of group, of affected / all of its components in such groups: a
/// server whose only disk is slow is as suspect as one whose disk, interface and connections all are. Parts
/// with more than half of them affected explain them; the one that explains most is blamed. Between equals
/// the larger part is taken as far as the server or the LUN: beyond that (controllers, arrays, networks) one
/// component is no sign of shared trouble.
///
/// \param affected  indices into `grouping.components`.
[[nodiscard]] std::vector<Blamed> find_blame(const Grouping& grouping, std::span<const std::size_t> affected);

}  // namespace laggard::analyse
