#include "analyse/peer/smoother.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/missing.h"
#include "stats/clones.h"

namespace laggard::analyse {

namespace {

/// Beyond this a sample is no measurement of anything, and sums of samples could overflow.
constexpr double kLargest = 1e300;

/// Components that are looked at together: four vectors of AVX2.
constexpr std::size_t kGroup = 16;

LAGGARD_CLONES void clean(const double* raw, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = std::abs(raw[i]) <= kLargest ? raw[i] : kMissing;
}

/// Notes, for each group, where somebody is not 0 (a missing sample is not) and where a sample is missing.
LAGGARD_CLONES void note_column(const double* x, std::size_t n, std::uint64_t step, std::uint64_t* last_busy,
                                std::uint64_t* last_gap) {
  for (std::size_t first = 0; first < n; first += kGroup) {
    const std::size_t end = std::min(n, first + kGroup);
    std::size_t missing = 0;
    std::size_t busy = 0;
    for (std::size_t i = first; i < end; ++i) {
      missing += x[i] == x[i] ? 0U : 1U;
      busy += x[i] == 0 ? 0U : 1U;
    }
    if (busy > 0) last_busy[first / kGroup] = step;
    if (missing > 0) last_gap[first / kGroup] = step;
  }
}

/// Means of a whole group without holes, the first row's sample first.
LAGGARD_INLINE void average_whole(std::span<const double* const> rows, std::size_t first, double* out) {
  double sum[kGroup] = {};
  for (const double* const start : rows) {
    const double* const row = start + first;
    for (std::size_t i = 0; i < kGroup; ++i) sum[i] += row[i];
  }
  const auto count = static_cast<double>(rows.size());
  for (std::size_t i = 0; i < kGroup; ++i) out[first + i] = sum[i] / count;
}

/// The same of `width` components with holes; 0 / 0 is the NaN that says missing.
LAGGARD_INLINE void average_holes(std::span<const double* const> rows, std::size_t first, std::size_t width,
                                  double* out) {
  double sum[kGroup] = {};
  double count[kGroup] = {};
  for (const double* const start : rows) {
    const double* const row = start + first;
    for (std::size_t i = 0; i < width; ++i) {
      const bool present = row[i] == row[i];
      sum[i] += present ? row[i] : 0.0;
      count[i] += present ? 1.0 : 0.0;
    }
  }
  for (std::size_t i = 0; i < width; ++i) out[first + i] = sum[i] / count[i];
}

/// What is known of the groups of a ring's columns: after step `before` the columns of the span begin.
struct Groups {
  const std::uint64_t* last_busy;
  const std::uint64_t* last_gap;
  std::uint64_t before;
};

LAGGARD_CLONES void average_rows(std::span<const double* const> rows, Groups groups, double* out,
                                 std::size_t n) {
  for (std::size_t first = 0; first < n; first += kGroup) {
    const std::size_t width = std::min(kGroup, n - first);
    if (groups.last_busy[first / kGroup] <= groups.before) {
      std::fill_n(out + first, width, 0.0);
    } else if (width < kGroup || groups.last_gap[first / kGroup] > groups.before) {
      average_holes(rows, first, width, out);
    } else {
      average_whole(rows, first, out);
    }
  }
}

LAGGARD_CLONES void blank_missing(const double* now, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = now[i] == now[i] ? out[i] : kMissing;
}

}  // namespace

Smoother::Smoother(std::size_t span, std::size_t components, MissingNow missing)
    : span_(span), components_(components), missing_(missing), ring_(span * components) {
  LAGGARD_CHECK(span >= 1);
  last_busy_.resize((components + kGroup - 1) / kGroup);
  last_gap_.resize(last_busy_.size());
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
  note_newest();
  rows_.clear();
  for (std::size_t age = filled_; age-- > 0;) rows_.push_back(column(age).data());
  average_rows(rows_, {last_busy_.data(), last_gap_.data(), step_ - filled_}, out.data(), components_);
  if (missing_ == MissingNow::kStaysMissing) blank_missing(now, out.data(), components_);
}

void Smoother::note_newest() {
  ++step_;
  note_column(column(0).data(), components_, step_, last_busy_.data(), last_gap_.data());
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
    note_newest();
  }
  filled_ = steps;
}

}  // namespace laggard::analyse
