#pragma once

#include <cstddef>
#include <cstdint>

namespace laggard::analyse {

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

/// How many of n values exceed `floor`.
[[nodiscard]] std::size_t count_greater(const std::uint16_t* values, std::size_t n, std::uint16_t floor);
[[nodiscard]] std::size_t count_greater(const std::uint32_t* values, std::size_t n, std::uint32_t floor);
[[nodiscard]] std::size_t count_greater(const double* values, std::size_t n, double floor);

}  // namespace laggard::analyse
