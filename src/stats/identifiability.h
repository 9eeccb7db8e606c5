#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace laggard::stats {

/// Units that a probe passes; sorted, each once.
using UnitPath = std::vector<std::size_t>;

/// Sufficient k-identifiability of one unit (K §IV-A, after He et al.'s Boolean network tomography): whatever
/// at most k other units have failed, some path passes `unit` and none of them, so that its probes alone say
/// whether it works.
/// \param k  0 asks only whether any path passes it.
/// \return a smallest set of other units that hides it, of at most k; nothing when there is none. The empty
///         set for a unit that no path passes.
///
/// A search of bounded depth: some path through the unit is taken and one of its other units is given up,
/// k times over. Its cost is the length of a path to the power of k.
[[nodiscard]] std::optional<std::vector<std::size_t>> hiding_set(std::span<const UnitPath> paths,
                                                                 std::size_t unit, std::size_t k);

/// Units that lie on exactly the same paths: nothing can tell them apart. Those on no path are a class, too.
/// \return the number of the class of each unit; classes are numbered in the order of their first unit.
[[nodiscard]] std::vector<std::size_t> path_classes(std::span<const UnitPath> paths, std::size_t units);

}  // namespace laggard::stats
