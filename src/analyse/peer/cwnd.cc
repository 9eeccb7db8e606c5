#include "analyse/peer/cwnd.h"

#include <algorithm>
#include <cmath>

#include "analyse/peer/state_bytes.h"
#include "analyse/peer/training.h"
#include "base/missing.h"
#include "stats/quantile.h"

namespace laggard::analyse {

namespace {
constexpr std::string_view kStateKind = "cwnd stream";
constexpr std::uint64_t kStateVersion = 1;
}  // namespace

CwndStream::CwndStream(const CwndSpec& spec, std::size_t nodes)
    : spec_(spec),
      smoother_(std::max<std::size_t>(spec.smoothing, 1), nodes),
      smoothed_(nodes),
      readings_(nodes) {
  LAGGARD_CHECK(spec.interval.count() > 0 && spec.smoothing >= 1);
}

std::span<const CwndReading> CwndStream::push(WallTime t, std::span<const double> cwnd) {
  const std::int64_t ns = to_unix_ns(t);
  const std::int64_t step = ns / spec_.interval.count();
  LAGGARD_CHECK(ns % spec_.interval.count() == 0 && (!started_ || step >= next_));
  LAGGARD_CHECK(cwnd.size() == readings_.size());
  const std::int64_t gap = started_ ? step - next_ : 0;
  if (gap >= static_cast<std::int64_t>(spec_.smoothing)) {
    smoother_.clear();
  } else {
    const std::vector<double> nothing(cwnd.size(), kMissing);
    for (std::int64_t i = 0; i < gap; ++i) smoother_.push(nothing, smoothed_);
  }
  started_ = true;
  next_ = step + 1;
  smoother_.push(cwnd, smoothed_);
  scratch_.clear();
  for (std::size_t i = 0; i < cwnd.size(); ++i) {
    // Below nothing there are no windows; a source that says so is not believed.
    readings_[i].log = smoothed_[i] >= 0 ? std::log2(1 + smoothed_[i]) : kMissing;
    if (!std::isnan(readings_[i].log)) scratch_.push_back(readings_[i].log);
  }
  const bool comparable = !scratch_.empty() && scratch_.size() >= spec_.least_peers;
  const double middle = comparable ? stats::median_in_place(scratch_) : 0;
  for (CwndReading& reading : readings_) reading.ratio = middle > 0 ? reading.log / middle : kMissing;
  return readings_;
}

std::string CwndStream::save() const {
  StateWriter out(kStateKind, kStateVersion);
  out.put_signed(spec_.interval.count());
  out.put(spec_.smoothing);
  out.put(spec_.least_peers);
  out.put(readings_.size());
  out.put_flag(started_);
  out.put_signed(next_);
  out.put_numbers(smoother_.history());
  return out.take();
}

Result<CwndStream> CwndStream::restore(std::string_view bytes) {
  StateReader in(bytes, kStateKind, kStateVersion);
  CwndSpec spec;
  spec.interval = Duration(in.take_signed());
  spec.smoothing = in.take();
  spec.least_peers = in.take();
  const std::uint64_t nodes = in.take();
  const bool started = in.take_flag();
  const std::int64_t next = in.take_signed();
  const std::vector<double> history = in.take_numbers();
  constexpr std::size_t kMost = std::size_t{1} << 24;
  in.require(spec.interval.count() > 0 && spec.smoothing >= 1 && nodes >= 1 && nodes <= kMost &&
             spec.smoothing <= kMost / nodes);
  if (in.good() && nodes > 0)
    in.require(history.size() % nodes == 0 && history.size() / nodes < spec.smoothing);
  if (Status status = in.status(); !status) return forward(status);
  CwndStream stream(spec, nodes);
  stream.started_ = started;
  stream.next_ = next;
  stream.smoother_.restore(history);
  return stream;
}

void CwndTrainer::add(std::span<const CwndReading> readings) {
  for (const CwndReading& reading : readings) {
    if (std::isnan(reading.ratio)) continue;
    any_ = true;
    smallest_ = std::min(smallest_, reading.ratio);
  }
}

double CwndTrainer::fraction() const {
  if (!any_) return kMissing;
  auto g = static_cast<std::uint64_t>(smallest_ / step_) + 1;
  while (g > 0 && grid_value(g, step_) > smallest_) --g;
  return grid_value(g, step_);
}

}  // namespace laggard::analyse
