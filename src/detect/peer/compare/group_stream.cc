#include "detect/peer/compare/group_stream.h"

#include <algorithm>

#include "base/error.h"
#include "base/missing.h"

namespace laggard::detect {

GroupStream::GroupStream(const WindowSpec& spec, std::size_t components)
    : spec_(spec), components_(components), history_({spec.smoothing, spec.size}, components) {
  LAGGARD_CHECK(spec.interval.count() > 0 && spec.shift >= 1);
}

void GroupStream::push(WallTime t, std::span<const double> column, WindowMemory& memory, const Sink& sink) {
  const std::int64_t ns = to_unix_ns(t);
  LAGGARD_CHECK(ns % spec_.interval.count() == 0 && column.size() == components_);
  const std::int64_t step = ns / spec_.interval.count();
  if (!started_) {
    started_ = true;
    first_ = step;
    next_ = step;
  }
  LAGGARD_CHECK(step >= next_);
  if (step > next_) skip(step - next_, memory, sink);
  append(column, memory, sink);
}

/// The windows that end in a gap still hold samples from before it; after that many steps nothing is left.
void GroupStream::skip(std::int64_t steps, WindowMemory& memory, const Sink& sink) {
  const std::vector<double> nothing(components_, kMissing);
  const auto enough = static_cast<std::int64_t>(std::max(spec_.size, spec_.smoothing));
  for (std::int64_t i = 0; i < std::min(steps, enough); ++i) append(nothing, memory, sink);
  // The columns in memory are now those of the steps before this one.
  next_ += std::max<std::int64_t>(0, steps - enough);
}

void GroupStream::append(std::span<const double> column, WindowMemory& memory, const Sink& sink) {
  if (history_.push(column)) {
    data_left_ = spec_.size;
  } else if (data_left_ > 0) {
    --data_left_;
  }
  ++next_;
  hand_out(memory, sink);
}

void GroupStream::hand_out(WindowMemory& memory, const Sink& sink) const {
  const auto size = static_cast<std::int64_t>(spec_.size);
  const auto shift = static_cast<std::int64_t>(spec_.shift);
  const std::int64_t start = next_ - size;
  if (start < first_ || start % shift != 0 || data_left_ == 0) return;
  history_.gather(memory);
  sink(Window{.start = from_unix_ns(start * spec_.interval.count()),
              .interval = spec_.interval,
              .index = start / shift,
              .components = components_,
              .size = spec_.size,
              .values = memory.values,
              .complete = memory.holed.empty(),
              .busy = memory.busy,
              .holed = memory.holed});
}

}  // namespace laggard::detect
