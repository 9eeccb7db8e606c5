#include "detect/peer/compare/l1_kernel.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/clones.h"

namespace laggard::detect {

namespace {

/// |a - b|; unsigned for integers. Written so that compilers find the vector instructions for it.
LAGGARD_INLINE std::uint16_t gap(std::int16_t a, std::int16_t b) {
  return static_cast<std::uint16_t>(std::max(a, b) - std::min(a, b));
}
LAGGARD_INLINE std::uint32_t gap(std::int32_t a, std::int32_t b) {
  return static_cast<std::uint32_t>(std::max(a, b)) - static_cast<std::uint32_t>(std::min(a, b));
}
LAGGARD_INLINE double gap(double a, double b) { return std::abs(a - b); }

/// Columns handled together, so that their sums stay in the first-level cache while the rows go by.
constexpr std::size_t kBlock = 1024;

/// Four rows at a time, because reading and writing the sums costs as much as a row does.
template <typename Element, typename Sum>
LAGGARD_INLINE void sum_gaps(L1Matrix<Element> m, const Element* point, Sum* sum) {
  for (std::size_t first = 0; first < m.columns; first += kBlock) {
    const std::size_t width = std::min(kBlock, m.columns - first);
    Sum* const out = sum + first;
    std::fill_n(out, width, Sum{0});
    std::size_t k = 0;
    for (; k + 4 <= m.rows; k += 4) {
      const Element* const a = m.values + k * m.columns + first;
      const Element* const b = a + m.columns;
      const Element* const c = b + m.columns;
      const Element* const d = c + m.columns;
      const Element pa = point[k];
      const Element pb = point[k + 1];
      const Element pc = point[k + 2];
      const Element pd = point[k + 3];
      for (std::size_t j = 0; j < width; ++j) {
        out[j] = static_cast<Sum>(
            static_cast<Sum>(static_cast<Sum>(static_cast<Sum>(out[j] + gap(a[j], pa)) + gap(b[j], pb)) +
                             gap(c[j], pc)) +
            gap(d[j], pd));
      }
    }
    for (; k < m.rows; ++k) {
      const Element* const a = m.values + k * m.columns + first;
      for (std::size_t j = 0; j < width; ++j) out[j] = static_cast<Sum>(out[j] + gap(a[j], point[k]));
    }
  }
}

/// Vectors of the language extension that gcc and clang share: a loop's sums would go through memory.
/// Differences fit an Element, as elements are not negative.
template <typename Element, typename Sum>
LAGGARD_INLINE void sum_tile(L1Matrix<Element> m, L1Tile tile, Sum* sum) {
  constexpr std::size_t kBytes = 32;
  constexpr std::size_t kLanes = kBytes / sizeof(Element);
  constexpr std::size_t kVectors = kTileColumns<Element> / kLanes;
  using Elements [[gnu::vector_size(kBytes)]] = Element;
  using Sums [[gnu::vector_size(kBytes)]] = Sum;
  Sums sums[kTilePoints][kVectors] = {};
  for (std::size_t k = 0; k < m.rows; ++k) {
    const Element* const row = m.values + k * m.columns;
    Elements columns[kVectors];
#pragma GCC unroll 2
    for (std::size_t v = 0; v < kVectors; ++v) {
      std::memcpy(&columns[v], row + tile.column + v * kLanes, kBytes);
    }
#pragma GCC unroll 4
    for (std::size_t p = 0; p < kTilePoints; ++p) {
      const Elements point = Elements{} + row[tile.point + p];
#pragma GCC unroll 2
      for (std::size_t v = 0; v < kVectors; ++v) {
        const Elements difference = columns[v] - point;
        sums[p][v] += reinterpret_cast<Sums>(difference < 0 ? -difference : difference);
      }
    }
  }
#pragma GCC unroll 4
  for (std::size_t p = 0; p < kTilePoints; ++p) {
#pragma GCC unroll 2
    for (std::size_t v = 0; v < kVectors; ++v) {
      std::memcpy(sum + p * tile.stride + v * kLanes, &sums[p][v], kBytes);
    }
  }
}

/// Counted in numbers of the values' own width, block by block, so that a vector of comparisons is a vector
/// of increments. There is no comparison for greater unsigned numbers, but one for at most as large ones.
template <typename Count, typename Value>
LAGGARD_INLINE std::size_t count_values(const Value* values, std::size_t n, Value floor) {
  constexpr std::size_t kCounted = 32768;
  std::size_t total = 0;
  for (std::size_t first = 0; first < n; first += kCounted) {
    const std::size_t last = std::min(n, first + kCounted);
    Count count = 0;
    for (std::size_t j = first; j < last; ++j) {
      count = static_cast<Count>(count + (values[j] <= floor ? Count{1} : Count{0}));
    }
    total += count;
  }
  return n - total;
}

}  // namespace

LAGGARD_CLONES void l1_to_point(L1Matrix<std::int16_t> m, const std::int16_t* point, std::uint16_t* sum) {
  sum_gaps(m, point, sum);
}
LAGGARD_CLONES void l1_to_point(L1Matrix<std::int32_t> m, const std::int32_t* point, std::uint32_t* sum) {
  sum_gaps(m, point, sum);
}
LAGGARD_CLONES void l1_to_point(L1Matrix<double> m, const double* point, double* sum) {
  sum_gaps(m, point, sum);
}

LAGGARD_CLONES void l1_tile(L1Matrix<std::int16_t> m, L1Tile tile, std::uint16_t* sum) {
  sum_tile(m, tile, sum);
}
LAGGARD_CLONES void l1_tile(L1Matrix<std::int32_t> m, L1Tile tile, std::uint32_t* sum) {
  sum_tile(m, tile, sum);
}
LAGGARD_CLONES void l1_tile(L1Matrix<double> m, L1Tile tile, double* sum) { sum_tile(m, tile, sum); }

LAGGARD_CLONES std::size_t count_greater(const std::uint16_t* values, std::size_t n, std::uint16_t floor) {
  return count_values<std::uint16_t>(values, n, floor);
}
LAGGARD_CLONES std::size_t count_greater(const std::uint32_t* values, std::size_t n, std::uint32_t floor) {
  return count_values<std::uint32_t>(values, n, floor);
}
LAGGARD_CLONES std::size_t count_greater(const double* values, std::size_t n, double floor) {
  return count_values<std::uint64_t>(values, n, floor);
}

}  // namespace laggard::detect
