#pragma once

#include <span>

namespace laggard::stats {

/// sum_i += x_i and ++count_i where x_i is not missing (NaN). All of one length.
void add_present(std::span<const double> x, std::span<double> sum, std::span<double> count);

}  // namespace laggard::stats
