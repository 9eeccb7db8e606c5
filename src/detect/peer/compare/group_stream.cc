#include "detect/peer/compare/group_stream.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/error.h"
#include "base/missing.h"
#include "stats/clones.h"

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

namespace {

/// How many samples are missing; notes whose, and who is not 0, at `step`.
LAGGARD_CLONES std::size_t note_column(std::span<const double> column, std::int64_t step,
                                       std::int64_t* last_busy, std::int64_t* last_hole) {
  std::size_t missing = 0;
  for (std::size_t i = 0; i < column.size(); ++i) {
    last_busy[i] = column[i] == 0 ? last_busy[i] : step;
    last_hole[i] = column[i] == column[i] ? last_hole[i] : step;
    missing += column[i] == column[i] ? 0U : 1U;
  }
  return missing;
}

/// Who was noted at `start` or later.
void find_since(std::span<const std::int64_t> last, std::int64_t start, std::vector<std::uint32_t>& who) {
  who.clear();
  for (std::size_t i = 0; i < last.size(); ++i) {
    if (last[i] >= start) who.push_back(static_cast<std::uint32_t>(i));
  }
}

}  // namespace

GroupStream::GroupStream(const WindowSpec& spec, std::size_t components)
    : spec_(spec), components_(components), smoother_(std::max<std::size_t>(spec.smoothing, 1), components) {
  LAGGARD_CHECK(spec.interval.count() > 0 && spec.size >= 1 && spec.shift >= 1 && spec.smoothing >= 1);
  LAGGARD_CHECK(components >= 1);
  columns_.resize(2 * spec.size * components);
  last_busy_.assign(components, std::numeric_limits<std::int64_t>::min());
  last_hole_ = last_busy_;
}

void GroupStream::push(WallTime t, std::span<const double> column, const Sink& sink) {
  const std::int64_t ns = to_unix_ns(t);
  LAGGARD_CHECK(ns % spec_.interval.count() == 0 && column.size() == components_);
  const std::int64_t step = ns / spec_.interval.count();
  if (!started_) {
    started_ = true;
    first_ = step;
    next_ = step;
  }
  LAGGARD_CHECK(step >= next_);
  if (step > next_) skip(step - next_, sink);
  append(column, sink);
}

/// The windows that end in a gap still hold samples from before it; after that many steps nothing is left.
void GroupStream::skip(std::int64_t steps, const Sink& sink) {
  const std::vector<double> nothing(components_, kMissing);
  const auto enough = static_cast<std::int64_t>(std::max(spec_.size, spec_.smoothing));
  for (std::int64_t i = 0; i < std::min(steps, enough); ++i) append(nothing, sink);
  if (steps <= enough) return;
  next_ += steps - enough;
  // The columns in memory are now those of the steps before this one.
  std::ranges::fill(last_busy_, next_ - 1);
  std::ranges::fill(last_hole_, next_ - 1);
}

double* GroupStream::grow() {
  if (stored_ == 2 * spec_.size) {
    const std::size_t kept = (spec_.size - 1) * components_;
    std::copy(columns_.end() - static_cast<std::ptrdiff_t>(kept), columns_.end(), columns_.begin());
    stored_ = spec_.size - 1;
  }
  return columns_.data() + components_ * stored_++;
}

void GroupStream::append(std::span<const double> column, const Sink& sink) {
  const std::span<double> smoothed(grow(), components_);
  smoother_.push(column, smoothed);
  if (note_activity(smoothed)) {
    data_left_ = spec_.size;
  } else if (data_left_ > 0) {
    --data_left_;
  }
  ++next_;
  hand_out(sink);
}

/// False when no component has a sample.
bool GroupStream::note_activity(std::span<const double> smoothed) {
  return note_column(smoothed, next_, last_busy_.data(), last_hole_.data()) < components_;
}

void GroupStream::hand_out(const Sink& sink) {
  const auto size = static_cast<std::int64_t>(spec_.size);
  const auto shift = static_cast<std::int64_t>(spec_.shift);
  const std::int64_t start = next_ - size;
  if (start < first_ || start % shift != 0 || data_left_ == 0) return;
  const std::size_t from = (stored_ - spec_.size) * components_;
  find_since(last_busy_, start, busy_);
  find_since(last_hole_, start, holed_);
  sink(Window{.start = from_unix_ns(start * spec_.interval.count()),
              .interval = spec_.interval,
              .index = start / shift,
              .components = components_,
              .size = spec_.size,
              .values = std::span(columns_).subspan(from, spec_.size * components_),
              .complete = holed_.empty(),
              .busy = busy_,
              .holed = holed_});
}

}  // namespace laggard::detect
