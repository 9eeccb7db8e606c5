#include "cmd/recorded_time.h"

#include <algorithm>
#include <map>
#include <string>

namespace laggard::cmd {

namespace {

Span cut(Span span, const ReadRequest& request) {
  if (request.from) span.first = std::max(span.first, *request.from);
  if (request.to) span.last = std::min(span.last, *request.to);
  return span;
}

/// When a host was recorded, gaps left out. `gaps` must be in order of time.
void add_stretches(Span host, const std::vector<Span>& gaps, std::vector<Span>& stretches) {
  for (const Span& gap : gaps) {
    if (gap.first > host.first) stretches.push_back({host.first, std::min(gap.first, host.last)});
    host.first = std::max(host.first, gap.last);
  }
  if (host.last > host.first) stretches.push_back(host);
}

bool earlier(const Span& a, const Span& b) { return a.first < b.first; }

}  // namespace

Span recorded_span(const Inventory& inventory, const ReadRequest& request) {
  Span span{WallTime::max(), WallTime::min()};
  for (const DeviceInfo& device : inventory.devices) {
    span.first = std::min(span.first, device.first);
    span.last = std::max(span.last, device.last);
  }
  return cut(span, request);
}

Duration recorded_time(const Inventory& inventory, const ReadRequest& request) {
  std::map<std::string, Span> hosts;
  for (const DeviceInfo& device : inventory.devices) {
    Span& host = hosts.try_emplace(device.host, Span{device.first, device.last}).first->second;
    host.first = std::min(host.first, device.first);
    host.last = std::max(host.last, device.last);
  }
  std::map<std::string, std::vector<Span>> gaps;
  for (const Gap& gap : inventory.gaps) gaps[gap.host].push_back({gap.from, gap.to});
  std::vector<Span> stretches;
  for (const auto& [name, host] : hosts) {
    std::vector<Span>& missing = gaps[name];
    std::sort(missing.begin(), missing.end(), earlier);
    add_stretches(host, missing, stretches);
  }
  std::sort(stretches.begin(), stretches.end(), earlier);
  Duration sum{};
  WallTime counted = WallTime::min();
  for (const Span& whole : stretches) {
    const Span stretch = cut(whole, request);
    const WallTime from = std::max(stretch.first, counted);
    if (stretch.last <= from) continue;
    sum += stretch.last - from;
    counted = stretch.last;
  }
  return sum;
}

std::vector<Gap> gaps_within(const Inventory& inventory, const ReadRequest& request) {
  std::vector<Gap> within;
  for (Gap gap : inventory.gaps) {
    const Span part = cut({gap.from, gap.to}, request);
    if (part.first >= part.last) continue;
    gap.from = part.first;
    gap.to = part.last;
    within.push_back(std::move(gap));
  }
  return within;
}

}  // namespace laggard::cmd
