#include "stats/sorting_network.h"

#include <algorithm>
#include <bit>

#include "base/clones.h"
#include "base/error.h"

namespace laggard::stats {

std::vector<Comparator> merge_exchange(std::uint32_t n) {
  std::vector<Comparator> steps;
  if (n < 2) return steps;
  const std::uint32_t top = std::bit_ceil(n) / 2;
  for (std::uint32_t p = top; p > 0; p /= 2) {
    std::uint32_t q = top;
    std::uint32_t r = 0;
    std::uint32_t d = p;
    while (true) {
      for (std::uint32_t i = 0; i + d < n; ++i) {
        if ((i & p) == r) steps.push_back({i, i + d});
      }
      if (q == p) break;
      d = q - p;
      q /= 2;
      r = p;
    }
  }
  return steps;
}

namespace {

/// Bytes per row of the columns sorted together: sixty such rows fit into the first-level cache.
constexpr std::size_t kBlockBytes = 256;
template <typename T>
constexpr std::size_t kBlock = kBlockBytes / sizeof(T);

template <typename T>
LAGGARD_INLINE void sort_rows(T* block, std::span<const Comparator> steps) {
  for (const Comparator step : steps) {
    T* __restrict const low = block + step.low * kBlock<T>;
    T* __restrict const high = block + step.high * kBlock<T>;
    for (std::size_t j = 0; j < kBlock<T>; ++j) {
      const T a = low[j];
      const T b = high[j];
      low[j] = b < a ? b : a;
      high[j] = b < a ? a : b;
    }
  }
}

LAGGARD_CLONES void sort_block(double* block, std::span<const Comparator> steps) { sort_rows(block, steps); }
LAGGARD_CLONES void sort_block(std::int16_t* block, std::span<const Comparator> steps) {
  sort_rows(block, steps);
}
LAGGARD_CLONES void sort_block(std::int32_t* block, std::span<const Comparator> steps) {
  sort_rows(block, steps);
}

}  // namespace

template <typename T>
void sort_columns(std::span<T> matrix, std::size_t columns, std::span<const Comparator> steps) {
  if (columns == 0 || matrix.empty()) return;
  const std::size_t rows = matrix.size() / columns;
  LAGGARD_CHECK(rows * columns == matrix.size());
  std::vector<T> block(rows * kBlock<T>);
  for (std::size_t first = 0; first < columns; first += kBlock<T>) {
    const std::size_t width = std::min(kBlock<T>, columns - first);
    for (std::size_t row = 0; row < rows; ++row) {
      std::copy_n(matrix.data() + row * columns + first, width, block.data() + row * kBlock<T>);
    }
    sort_block(block.data(), steps);
    for (std::size_t row = 0; row < rows; ++row) {
      std::copy_n(block.data() + row * kBlock<T>, width, matrix.data() + row * columns + first);
    }
  }
}

template void sort_columns<double>(std::span<double>, std::size_t, std::span<const Comparator>);
template void sort_columns<std::int16_t>(std::span<std::int16_t>, std::size_t, std::span<const Comparator>);
template void sort_columns<std::int32_t>(std::span<std::int32_t>, std::size_t, std::span<const Comparator>);

}  // namespace laggard::stats
