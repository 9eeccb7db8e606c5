#include "stats/present.h"

#include <cstddef>
#include <cstdint>

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

LAGGARD_CLONES void add(const double* x, double* sum, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) sum[i] += x[i];
}

LAGGARD_CLONES std::uint64_t count_missing(const double* x, std::size_t n) {
  std::uint64_t missing = 0;
  for (std::size_t i = 0; i < n; ++i) missing += x[i] == x[i] ? 0U : 1U;
  return missing;
}

}  // namespace

void add_present(std::span<const double> x, std::span<double> sum, std::span<double> count) {
  LAGGARD_CHECK(sum.size() == x.size() && count.size() == x.size());
  add(x.data(), sum.data(), count.data(), x.size());
}

void add_all(std::span<const double> x, std::span<double> sum) {
  LAGGARD_CHECK(sum.size() == x.size());
  add(x.data(), sum.data(), x.size());
}

bool has_missing(std::span<const double> x) { return count_missing(x.data(), x.size()) > 0; }

}  // namespace laggard::stats
