#include "detect/peer/compare/group_stream.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/missing.h"
#include "detect/peer/compare/state_bytes.h"
#include "stats/clones.h"

namespace laggard::detect {

namespace {

constexpr std::string_view kStreamState = "peer group stream";
constexpr std::uint64_t kStreamStateVersion = 1;

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

std::string GroupStream::save() const {
  StateWriter out(kStreamState, kStreamStateVersion);
  out.put_signed(spec_.interval.count());
  for (const std::size_t n : {spec_.size, spec_.shift, spec_.smoothing, spec_.k, components_}) out.put(n);
  out.put_flag(started_);
  out.put_signed(first_);
  out.put_signed(next_);
  out.put(data_left_);
  out.put_numbers(smoother_.history());
  const std::size_t kept = std::min(stored_, spec_.size);
  out.put_numbers(std::span(columns_).subspan((stored_ - kept) * components_, kept * components_));
  return out.take();
}

Result<GroupStream> GroupStream::restore(std::string_view bytes) {
  StateReader in(bytes, kStreamState, kStreamStateVersion);
  WindowSpec spec;
  spec.interval = Duration(in.take_signed());
  std::size_t components = 0;
  for (std::size_t* n : {&spec.size, &spec.shift, &spec.smoothing, &spec.k, &components}) *n = in.take();
  const bool started = in.take_flag();
  const std::int64_t first = in.take_signed();
  const std::int64_t next = in.take_signed();
  const std::size_t with_data = in.take();
  const std::vector<double> history = in.take_numbers();
  const std::vector<double> columns = in.take_numbers();
  // Bounded before anything is allocated: a damaged size must not ask for all memory.
  constexpr std::size_t kMost = std::size_t{1} << 24;
  in.require(spec.interval.count() > 0 && spec.size >= 1 && spec.shift >= 1 && spec.smoothing >= 1);
  in.require(components >= 1 && components <= kMost && spec.size <= kMost / components &&
             spec.smoothing <= kMost / components && spec.shift <= kMost && with_data <= spec.size);
  if (in.good() && components > 0 && spec.interval.count() > 0) {
    const std::int64_t latest = std::numeric_limits<std::int64_t>::max() / spec.interval.count();
    in.require(first >= -latest && next <= latest && next >= first);
    const auto steps = static_cast<std::uint64_t>(next) - static_cast<std::uint64_t>(first);
    in.require(history.size() % components == 0 && history.size() / components < spec.smoothing);
    in.require(columns.size() == std::min<std::uint64_t>(steps, spec.size) * components);
  }
  if (Status status = in.status(); !status) return forward(status);
  GroupStream stream(spec, components);
  stream.started_ = started;
  stream.first_ = first;
  stream.next_ = next;
  stream.data_left_ = with_data;
  stream.smoother_.restore(history);
  std::copy(columns.begin(), columns.end(), stream.columns_.begin());
  stream.stored_ = columns.size() / components;
  for (std::size_t k = 0; k < stream.stored_; ++k) {
    stream.next_ = next - static_cast<std::int64_t>(stream.stored_ - k);
    static_cast<void>(stream.note_activity(std::span(columns).subspan(k * components, components)));
  }
  stream.next_ = next;
  return stream;
}

}  // namespace laggard::detect
