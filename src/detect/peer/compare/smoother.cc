#include "detect/peer/compare/smoother.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/clones.h"
#include "base/error.h"
#include "base/missing.h"

namespace laggard::detect {

namespace {

/// Beyond this a sample is no measurement of anything, and sums of samples could overflow.
constexpr double kLargest = 1e300;

/// Components that are looked at together: four vectors of AVX2.
constexpr std::size_t kGroup = 16;

/// Cleans a column into a slot of the ring and says which samples are there.
LAGGARD_CLONES void clean(const double* raw, double* slot, std::uint8_t* there, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) slot[i] = std::abs(raw[i]) <= kLargest ? raw[i] : 0.0;
  for (std::size_t i = 0; i < n; ++i) there[i] = std::abs(raw[i]) <= kLargest ? 1 : 0;
}

/// Puts `there` in the place of what was present in the slot and counts by the difference. Groups of which
/// the same are there as before are nearly all.
void recount(const std::uint8_t* there, std::uint8_t* present, double* count, std::size_t n) {
  for (std::size_t first = 0; first < n; first += kGroup) {
    const std::size_t width = std::min(kGroup, n - first);
    if (std::memcmp(there + first, present + first, width) == 0) continue;
    for (std::size_t i = first; i < first + width; ++i) {
      count[i] += static_cast<double>(there[i]) - static_cast<double>(present[i]);
      present[i] = there[i];
    }
  }
}

/// Notes, for each group, whether somebody is not 0: who is missing is not 0 either, -0 is.
LAGGARD_CLONES void note_busy(const double* slot, const std::uint8_t* present, std::size_t n,
                              std::uint64_t step, std::uint64_t* last_busy) {
  for (std::size_t first = 0; first < n; first += kGroup) {
    const std::size_t end = std::min(n, first + kGroup);
    std::uint64_t busy = 0;
    for (std::size_t i = first; i < end; ++i) busy |= std::bit_cast<std::uint64_t>(slot[i]) << 1U;
    std::uint8_t all = 1;
    for (std::size_t i = first; i < end; ++i) all &= present[i];
    if (busy != 0 || all == 0) last_busy[first / kGroup] = step;
  }
}

/// Means of a whole group, the first row's sample first; 0 / 0 is the NaN that says missing.
LAGGARD_INLINE void average_group(std::span<const double* const> rows, std::size_t first, const double* count,
                                  double* out) {
  double sum[kGroup] = {};
  for (const double* const start : rows) {
    const double* const row = start + first;
    for (std::size_t i = 0; i < kGroup; ++i) sum[i] += row[i];
  }
  for (std::size_t i = 0; i < kGroup; ++i) out[first + i] = sum[i] / count[first + i];
}

/// The same of the last group, which may be smaller.
LAGGARD_INLINE void average_rest(std::span<const double* const> rows, std::size_t first, std::size_t end,
                                 const double* count, double* out) {
  for (std::size_t i = first; i < end; ++i) {
    double sum = 0;
    for (const double* const row : rows) sum += row[i];
    out[i] = sum / count[i];
  }
}

/// What is known of the groups of a ring's columns: after step `before` the columns of the span begin.
struct Groups {
  const std::uint64_t* last_busy;
  std::uint64_t before;
};

LAGGARD_CLONES void average_rows(std::span<const double* const> rows, Groups groups, const double* count,
                                 std::span<double> out) {
  for (std::size_t first = 0; first < out.size(); first += kGroup) {
    const std::size_t end = std::min(out.size(), first + kGroup);
    if (groups.last_busy[first / kGroup] <= groups.before) {
      std::fill_n(out.data() + first, end - first, 0.0);
    } else if (end - first == kGroup) {
      average_group(rows, first, count, out.data());
    } else {
      average_rest(rows, first, end, count, out.data());
    }
  }
}

LAGGARD_CLONES void blank_missing(const std::uint8_t* present, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = present[i] != 0 ? out[i] : kMissing;
}

}  // namespace

Smoother::Smoother(std::size_t span, std::size_t components, MissingNow missing)
    : span_(span),
      components_(components),
      missing_(missing),
      ring_(span * components),
      present_(span * components),
      there_(components),
      count_(components) {
  LAGGARD_CHECK(span >= 1);
  last_busy_.resize((components + kGroup - 1) / kGroup);
}

std::size_t Smoother::column(std::size_t age) const { return (newest_ + span_ - age) % span_ * components_; }

void Smoother::push(std::span<const double> raw, std::span<double> out) {
  LAGGARD_CHECK(raw.size() == components_ && out.size() == components_);
  take(raw);
  rows_.clear();
  for (std::size_t age = filled_; age-- > 0;) rows_.push_back(ring_.data() + column(age));
  average_rows(rows_, {last_busy_.data(), step_ - filled_}, count_.data(), out);
  if (missing_ == MissingNow::kStaysMissing) {
    blank_missing(present_.data() + column(0), out.data(), components_);
  }
}

void Smoother::take(std::span<const double> raw) {
  newest_ = (newest_ + 1) % span_;
  filled_ = std::min(filled_ + 1, span_);
  ++step_;
  double* const slot = ring_.data() + column(0);
  std::uint8_t* const present = present_.data() + column(0);
  clean(raw.data(), slot, there_.data(), components_);
  recount(there_.data(), present, count_.data(), components_);
  note_busy(slot, present, components_, step_, last_busy_.data());
}

void Smoother::clear() {
  filled_ = 0;
  std::ranges::fill(present_, std::uint8_t{0});
  std::ranges::fill(count_, 0.0);
}

}  // namespace laggard::detect
