#pragma once

#include <cstddef>
#include <cstdint>

namespace laggard::detect {

/// A W x n matrix of order statistics, row after row.
template <typename Element>
struct L1Matrix {
  const Element* values;
  std::size_t rows;
  std::size_t columns;
};

/// sum[j] = sum_k |m(k, j) - point[k]| for every column j, added up in the order of k.
void l1_to_point(L1Matrix<std::int16_t> m, const std::int16_t* point, std::uint16_t* sum);
void l1_to_point(L1Matrix<std::int32_t> m, const std::int32_t* point, std::uint32_t* sum);
void l1_to_point(L1Matrix<double> m, const double* point, double* sum);

/// Distances between many pairs of columns are found tile by tile: a few columns against as many as fill two
/// vectors, so that all sums of a tile stay in registers while the rows go by and what is read is read once.
inline constexpr std::size_t kTilePoints = 4;
template <typename Element>
inline constexpr std::size_t kTileColumns = 64 / sizeof(Element);

/// sum[p * stride + c] = sum_k |m(k, column + c) - m(k, point + p)|, added up in the order of k, for all
/// p < kTilePoints and c < kTileColumns. Both ranges of columns lie in m.
struct L1Tile {
  std::size_t point;
  std::size_t column;
  std::size_t stride;
};
void l1_tile(L1Matrix<std::int16_t> m, L1Tile tile, std::uint16_t* sum);
void l1_tile(L1Matrix<std::int32_t> m, L1Tile tile, std::uint32_t* sum);
void l1_tile(L1Matrix<double> m, L1Tile tile, double* sum);

/// How many of n values, none of them NaN, exceed `floor`.
[[nodiscard]] std::size_t count_greater(const std::uint16_t* values, std::size_t n, std::uint16_t floor);
[[nodiscard]] std::size_t count_greater(const std::uint32_t* values, std::size_t n, std::uint32_t floor);
[[nodiscard]] std::size_t count_greater(const double* values, std::size_t n, double floor);

}  // namespace laggard::detect
