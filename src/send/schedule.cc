#include "send/schedule.h"

#include <algorithm>
#include <limits>

#include "send/sender.h"
#include "send/window.h"

namespace laggard::send {

namespace {

constexpr std::int64_t kShortestMs = 1000;
/// Prometheus refuses what lies more than an hour behind the newest sample it has.
constexpr std::int64_t kLongestMs = std::int64_t{30} * 60 * 1000;

/// What the devices of a stream have in common.
struct Extent {
  std::int64_t first_ms = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_ms = std::numeric_limits<std::int64_t>::min();
  double samples = 0;
};

}  // namespace

Schedule::Schedule(const Inventory& inventory,
                   const std::function<std::optional<std::int64_t>(const StreamKey&)>& sent_until) {
  std::map<StreamKey, Extent> extents;
  for (const DeviceInfo& device : inventory.devices) {
    if (device.samples == 0) continue;
    Extent& extent = extents[{device.host, device.kind}];
    extent.first_ms = std::min(extent.first_ms, to_ms(device.first));
    extent.last_ms = std::max(extent.last_ms, to_ms(device.last));
    extent.samples += static_cast<double>(device.samples) * static_cast<double>(device.counters.size());
  }
  for (const Gap& gap : inventory.gaps) holes_[gap.host].push_back({to_ms(gap.from), to_ms(gap.to)});
  for (auto& [host, holes] : holes_) {
    std::sort(holes.begin(), holes.end(), [](const Hole& a, const Hole& b) { return a.to_ms < b.to_ms; });
  }
  double per_ms = 0;
  begin_ms_ = std::numeric_limits<std::int64_t>::max();
  end_ms_ = std::numeric_limits<std::int64_t>::min();
  for (const auto& [stream, extent] : extents) {
    ends_[stream] = extent.last_ms;
    const auto until = sent_until(stream);
    const std::int64_t next = until ? std::max(extent.first_ms, *until + 1) : extent.first_ms;
    if (next > extent.last_ms) continue;
    pending_.push_back({stream, next, extent.last_ms});
    per_ms += extent.samples / static_cast<double>(extent.last_ms - extent.first_ms + kShortestMs);
    begin_ms_ = std::min(begin_ms_, next);
    end_ms_ = std::max(end_ms_, extent.last_ms);
  }
  cursor_ms_ = begin_ms_;
  const double wanted = static_cast<double>(kWindowSamples) / std::max(per_ms, 1e-9);
  length_ms_ = static_cast<std::int64_t>(
      std::clamp(wanted, static_cast<double>(kShortestMs), static_cast<double>(kLongestMs)));
}

std::int64_t Schedule::past_gap(const std::string& host, std::int64_t ms) const {
  const auto holes = holes_.find(host);
  if (holes == holes_.end()) return ms;
  const auto hole = std::upper_bound(holes->second.begin(), holes->second.end(), ms,
                                     [](std::int64_t at, const Hole& one) { return at < one.to_ms; });
  return hole != holes->second.end() && hole->from_ms < ms ? hole->to_ms : ms;
}

std::optional<Stretch> Schedule::next() const {
  std::optional<std::int64_t> from;
  for (const Pending& one : pending_) {
    const std::int64_t at = past_gap(one.stream.host, std::max(cursor_ms_, one.next_ms));
    if (at <= one.last_ms) from = std::min(from.value_or(at), at);
  }
  if (!from) return std::nullopt;
  return Stretch{*from, *from + length_ms_};
}

void Schedule::was(const Stretch& stretch, std::uint64_t samples) {
  cursor_ms_ = stretch.to_ms;
  const std::int64_t length = stretch.to_ms - stretch.from_ms;
  const double fitting = static_cast<double>(length) * static_cast<double>(kWindowSamples) /
                         static_cast<double>(std::max<std::uint64_t>(samples, 1));
  length_ms_ = std::clamp(static_cast<std::int64_t>(std::min(fitting, static_cast<double>(length) * 2)),
                          kShortestMs, kLongestMs);
}

double Schedule::done(std::int64_t ms) const {
  return static_cast<double>(ms - begin_ms_) /
         static_cast<double>(std::max<std::int64_t>(end_ms_ - begin_ms_, 1));
}

}  // namespace laggard::send
