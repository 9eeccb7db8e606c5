#pragma once

#include <span>

namespace laggard::stats {

/// sum_i += x_i and ++count_i where x_i is not missing (NaN). All of one length.
void add_present(std::span<const double> x, std::span<double> sum, std::span<double> count);

/// sum_i += x_i, where nothing is missing.
void add_all(std::span<const double> x, std::span<double> sum);

[[nodiscard]] bool has_missing(std::span<const double> x);

}  // namespace laggard::stats
