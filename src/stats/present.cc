#include "stats/present.h"

#include <cstddef>

#include "base/error.h"
#include "stats/clones.h"

namespace laggard::stats {

namespace {

LAGGARD_CLONES void add(const double* x, double* sum, double* count, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const bool present = x[i] == x[i];
    sum[i] += present ? x[i] : 0.0;
    count[i] += present ? 1.0 : 0.0;
  }
}

}  // namespace

void add_present(std::span<const double> x, std::span<double> sum, std::span<double> count) {
  LAGGARD_CHECK(sum.size() == x.size() && count.size() == x.size());
  add(x.data(), sum.data(), count.data(), x.size());
}

}  // namespace laggard::stats
