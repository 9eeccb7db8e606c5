#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "detect/peer/compare/comparer.h"

namespace laggard::detect {

/// F §11.1's way to O(n): the components of a large group compared only within partitions of about so many,
/// whose membership is another in every window, so that nobody stays among those who are sick as he is.
///
/// n / size partitions (rounded down, at least one), equal in size but for one member. Who is in which is
/// drawn for the window: the same window, group size and partition size give the same partitions everywhere.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> partitions(std::size_t components, std::size_t size,
                                                                 std::int64_t window);

/// `distance` within partitions: scores and distances are those of the partition's own window, bins too; NaN
/// between partitions, and where nobody of a partition has a sample. Groups of fewer than two partitions are
/// compared whole. Our own exact comparison of the whole (methods/peer.md) is faster than all pairs too: this
/// exists for comparison with F, and where W n log n is too much.
[[nodiscard]] std::unique_ptr<Comparer> make_partitioned(Distance distance, const CompareOptions& options);

}  // namespace laggard::detect
