#include "cmd/load_latency.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "base/missing.h"
#include "derive/metric_stream.h"
#include "model/metric.h"

namespace laggard::cmd {

namespace {

constexpr double kSlowMs = 1000;

/// The disks that are compared and the hosts that told of their load, numbered.
struct Members {
  std::map<std::pair<std::string, std::string>, std::uint32_t> disks;
  std::map<std::string, std::uint32_t> hosts;
  std::vector<std::uint32_t> host_of;  ///< Of each disk; only disks of such hosts are there.
};

Members members_of(const AnalysisSetup& setup) {
  Members members;
  for (const DeviceInfo& device : setup.inventory.devices) {
    const bool tells = std::ranges::any_of(
        device.counters, [](const TableCounter& counter) { return counter.name == "procs_running"; });
    if (device.kind == DeviceKind::kHost && tells) {
      members.hosts.emplace(device.host, static_cast<std::uint32_t>(members.hosts.size()));
    }
  }
  for (const Component& component : setup.grouping.components) {
    if (component.kind != DeviceKind::kDisk || component.series.empty()) continue;
    const auto host = members.hosts.find(component.host);
    if (host == members.hosts.end()) continue;
    const bool is_new = members.disks
                            .emplace(std::pair(component.host, component.device),
                                     static_cast<std::uint32_t>(members.host_of.size()))
                            .second;
    if (is_new) members.host_of.push_back(host->second);
  }
  return members;
}

derive::MetricStream stream_of(const Members& members, Duration interval) {
  const derive::TrackSpec latency{
      .metric = find_metric("await"), .group = 0, .members = members.host_of.size(), .hosts = {}};
  const derive::TrackSpec load{
      .metric = find_metric("load"), .group = 1, .members = members.hosts.size(), .hosts = {}};
  const auto router = [&members](const std::string& host, DeviceKind kind, const std::string& device) {
    std::vector<derive::Route> routes;
    if (kind == DeviceKind::kDisk) {
      const auto found = members.disks.find({host, device});
      if (found != members.disks.end()) routes.push_back({0, found->second});
    } else if (kind == DeviceKind::kHost) {
      const auto found = members.hosts.find(host);
      if (found != members.hosts.end()) routes.push_back({1, found->second});
    }
    return routes;
  };
  return {Grid{interval}, interval, {latency, load}, router};
}

void take(const derive::MetricCell& cell, const Members& members, std::vector<LoadLatency>& rows) {
  for (std::size_t d = 0; d < members.host_of.size(); ++d) {
    const double ms = cell.columns[0][d];
    const double load = cell.columns[1][members.host_of[d]];
    // A disk that served nothing has no latency, which is told as zero.
    if (!(ms > 0) || std::isnan(load)) continue;
    const auto row = load < 1 ? std::size_t{0} : static_cast<std::size_t>(std::log2(load)) + 1;
    while (rows.size() <= row) {
      const double from = rows.empty() ? 0 : std::exp2(static_cast<double>(rows.size() - 1));
      rows.push_back({.from = from, .to = rows.empty() ? 1 : 2 * from});
    }
    add_latency(rows[row].latency, ms);
    if (ms >= kSlowMs) ++rows[row].slow;
  }
}

}  // namespace

void add_latency(LatencyTally& tally, double ms) {
  const double us = ms * 1e3;
  const double bin = us >= 1 ? 2 * std::log2(us) : 0;
  ++tally.bins[std::min(tally.bins.size() - 1, static_cast<std::size_t>(bin))];
  ++tally.count;
  tally.sum_ms += ms;
}

Result<std::vector<LoadLatency>> latency_under_load(const AnalysisSetup& setup) {
  std::vector<LoadLatency> rows;
  const Members members = members_of(setup);
  if (members.host_of.empty() || setup.sample_interval <= Duration::zero()) return rows;
  ReadRequest request = setup.request;
  request.kinds = {DeviceKind::kDisk, DeviceKind::kHost};
  auto reader = setup.source->read(request);
  if (!reader) return forward(reader);
  derive::MetricStream stream = stream_of(members, setup.sample_interval);
  const auto consume = [&](const derive::MetricCell& cell) { take(cell, members, rows); };
  while (true) {
    auto table = (*reader)->next();
    if (!table) return forward(table);
    if (!*table) break;
    const auto& times = (*table)->times();
    if (!times.empty()) stream.advance(*std::ranges::min_element(times), consume);
    stream.add(**table);
  }
  stream.finish(consume);
  std::erase_if(rows, [](const LoadLatency& row) { return row.latency.count == 0; });
  return rows;
}

}  // namespace laggard::cmd
