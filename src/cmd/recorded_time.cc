#include "cmd/recorded_time.h"

#include <algorithm>
#include <map>
#include <string>

namespace laggard::cmd {

namespace {

TimeSpan cut(TimeSpan span, const ReadRequest& request) {
  if (request.from) span.from = std::max(span.from, *request.from);
  if (request.to) span.to = std::min(span.to, *request.to);
  return span;
}

/// When a host was recorded, gaps left out. `gaps` must be in order of time.
void add_stretches(TimeSpan host, const std::vector<TimeSpan>& gaps, std::vector<TimeSpan>& stretches) {
  for (const TimeSpan& gap : gaps) {
    if (gap.from > host.from) stretches.push_back({host.from, std::min(gap.from, host.to)});
    host.from = std::max(host.from, gap.to);
  }
  if (host.to > host.from) stretches.push_back(host);
}

bool earlier(const TimeSpan& a, const TimeSpan& b) { return a.from < b.from; }

}  // namespace

TimeSpan recorded_span(const Inventory& inventory, const ReadRequest& request) {
  TimeSpan span{WallTime::max(), WallTime::min()};
  for (const DeviceInfo& device : inventory.devices) {
    span.from = std::min(span.from, device.first);
    span.to = std::max(span.to, device.last);
  }
  return cut(span, request);
}

Duration recorded_time(const Inventory& inventory, const ReadRequest& request) {
  std::map<std::string, TimeSpan> hosts;
  for (const DeviceInfo& device : inventory.devices) {
    TimeSpan& host = hosts.try_emplace(device.host, TimeSpan{device.first, device.last}).first->second;
    host.from = std::min(host.from, device.first);
    host.to = std::max(host.to, device.last);
  }
  std::map<std::string, std::vector<TimeSpan>> gaps;
  for (const Gap& gap : inventory.gaps) gaps[gap.host].push_back({gap.from, gap.to});
  std::vector<TimeSpan> stretches;
  for (const auto& [name, host] : hosts) {
    std::vector<TimeSpan>& missing = gaps[name];
    std::sort(missing.begin(), missing.end(), earlier);
    add_stretches(host, missing, stretches);
  }
  std::sort(stretches.begin(), stretches.end(), earlier);
  Duration sum{};
  WallTime counted = WallTime::min();
  for (const TimeSpan& whole : stretches) {
    const TimeSpan stretch = cut(whole, request);
    const WallTime from = std::max(stretch.from, counted);
    if (stretch.to <= from) continue;
    sum += stretch.to - from;
    counted = stretch.to;
  }
  return sum;
}

std::vector<ClockStep> steps_back_within(const Inventory& inventory, const ReadRequest& request) {
  std::vector<ClockStep> within;
  for (const ClockStep& step : inventory.clock_steps) {
    const TimeSpan twice = cut({step.after, step.before}, request);
    if (twice.from < twice.to) within.push_back(step);
  }
  return within;
}

std::vector<Gap> gaps_within(const Inventory& inventory, const ReadRequest& request) {
  std::vector<Gap> within;
  for (Gap gap : inventory.gaps) {
    const TimeSpan part = cut({gap.from, gap.to}, request);
    if (part.from >= part.to) continue;
    gap.from = part.from;
    gap.to = part.to;
    within.push_back(std::move(gap));
  }
  return within;
}

}  // namespace laggard::cmd
