#include "analyse/peer/smoother.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "stats/clones.h"

namespace laggard::analyse {

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
/// Beyond this a sample is no measurement of anything, and sums of samples could overflow.
constexpr double kLargest = 1e300;

LAGGARD_CLONES void clean(const double* raw, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = std::abs(raw[i]) <= kLargest ? raw[i] : kMissing;
}

LAGGARD_CLONES void add_column(const double* column, double* sum, double* count, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const bool present = column[i] == column[i];
    sum[i] += present ? column[i] : 0.0;
    count[i] += present ? 1.0 : 0.0;
  }
}

/// 0 / 0 is the NaN that says missing.
LAGGARD_CLONES void divide(const double* sum, const double* count, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = sum[i] / count[i];
}

LAGGARD_CLONES void blank_missing(const double* now, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = now[i] == now[i] ? out[i] : kMissing;
}

}  // namespace

Smoother::Smoother(std::size_t span, std::size_t components, MissingNow missing)
    : span_(span), components_(components), missing_(missing), ring_(span * components) {
  LAGGARD_CHECK(span >= 1);
  sum_.resize(components);
  count_.resize(components);
}

std::span<const double> Smoother::column(std::size_t age) const {
  const std::size_t slot = (newest_ + span_ - age) % span_;
  return std::span(ring_).subspan(slot * components_, components_);
}

void Smoother::push(std::span<const double> raw, std::span<double> out) {
  LAGGARD_CHECK(raw.size() == components_ && out.size() == components_);
  newest_ = (newest_ + 1) % span_;
  filled_ = std::min(filled_ + 1, span_);
  double* now = ring_.data() + newest_ * components_;
  clean(raw.data(), now, components_);
  if (span_ == 1) {
    std::copy_n(now, components_, out.begin());
    return;
  }
  std::fill(sum_.begin(), sum_.end(), 0.0);
  std::fill(count_.begin(), count_.end(), 0.0);
  for (std::size_t age = filled_; age-- > 0;) {
    add_column(column(age).data(), sum_.data(), count_.data(), components_);
  }
  divide(sum_.data(), count_.data(), out.data(), components_);
  if (missing_ == MissingNow::kStaysMissing) blank_missing(now, out.data(), components_);
}

void Smoother::clear() { filled_ = 0; }

std::vector<double> Smoother::history() const {
  const std::size_t steps = std::min(filled_, span_ - 1);
  std::vector<double> out;
  out.reserve(steps * components_);
  for (std::size_t age = steps; age-- > 0;) {
    const std::span<const double> values = column(age);
    out.insert(out.end(), values.begin(), values.end());
  }
  return out;
}

void Smoother::restore(std::span<const double> history) {
  clear();
  if (components_ == 0) return;
  const std::size_t steps = history.size() / components_;
  LAGGARD_CHECK(steps * components_ == history.size() && steps < span_);
  for (std::size_t step = 0; step < steps; ++step) {
    newest_ = (newest_ + 1) % span_;
    std::copy_n(history.data() + step * components_, components_, ring_.data() + newest_ * components_);
  }
  filled_ = steps;
}

}  // namespace laggard::analyse
