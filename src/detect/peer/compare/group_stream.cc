#include "detect/peer/compare/group_stream.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/missing.h"
#include "stats/clones.h"

namespace laggard::detect {

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
