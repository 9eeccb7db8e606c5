#pragma once

#include <cstddef>
#include <span>

namespace laggard::stats {

/// How far two classifications of the same n things agree: the adjusted Rand index of Hubert and Arabie
/// (1985). 1 when they are the same but for the classes' names, about 0, or below, for chance.
///   ARI = (sum C(n_ij,2) - E) / ((sum C(a_i,2) + sum C(b_j,2)) / 2 - E),
///   E = sum C(a_i,2) sum C(b_j,2) / C(n,2)
/// with n_ij things in class i of one and j of the other, a_i and b_j the class sizes. 1 where the
/// denominator is 0 (both have a single class, or only classes of one). Requires equal lengths.
[[nodiscard]] double adjusted_rand_index(std::span<const std::size_t> one,
                                         std::span<const std::size_t> other);

}  // namespace laggard::stats
