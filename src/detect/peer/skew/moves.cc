#include "detect/peer/skew/moves.h"

#include <cmath>

#include "base/error.h"

namespace laggard::detect {

void Moves::take(std::span<const double> values, std::span<std::int8_t> out) {
  LAGGARD_CHECK(values.size() == series_.size() && out.size() == series_.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    Series& series = series_[i];
    const double x = values[i];
    out[i] = 0;
    if (!std::isfinite(x)) {
      series.known = false;
      continue;
    }
    if (series.known) {
      const double difference = x - series.last;
      series.sum += std::abs(difference);
      series.count += 1;
      if (std::abs(difference) * series.count > least_ * series.sum) out[i] = difference > 0 ? 1 : -1;
    }
    series.known = true;
    series.last = x;
  }
}

void Moves::forget_last() {
  for (Series& series : series_) series.known = false;
}

}  // namespace laggard::detect
