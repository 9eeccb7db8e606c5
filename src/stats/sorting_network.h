#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace laggard::stats {

/// One step of a sorting network: puts the smaller of two rows into `low`.
struct Comparator {
  std::uint32_t low;
  std::uint32_t high;
};

/// Batcher's merge exchange for `n` rows (Knuth, TAOCP 3, 5.2.2, algorithm M): about n log2(n)^2 / 4
/// comparators, whose sequence does not depend on the data. So many columns are sorted at once, a
/// vector's worth of columns per instruction, which for windows of some sixty samples is much faster than any
/// comparison sort.
[[nodiscard]] std::vector<Comparator> merge_exchange(std::uint32_t n);

/// Sorts every column of a matrix ascending.
/// \param matrix  rows x columns, one row after the other; no NaN (use +infinity for missing, it goes last).
/// \param steps   merge_exchange(rows).
template <typename T>
void sort_columns(std::span<T> matrix, std::size_t columns, std::span<const Comparator> steps);

extern template void sort_columns<double>(std::span<double>, std::size_t, std::span<const Comparator>);
extern template void sort_columns<std::int16_t>(std::span<std::int16_t>, std::size_t,
                                                std::span<const Comparator>);
extern template void sort_columns<std::int32_t>(std::span<std::int32_t>, std::size_t,
                                                std::span<const Comparator>);

}  // namespace laggard::stats
