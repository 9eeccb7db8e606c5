#include "cmd/metric_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "analyse/metric/metric_stream.h"
#include "base/text.h"

namespace laggard::cmd {

namespace {

struct Column {
  std::string host;
  std::string device;
};

Duration median_interval(const std::vector<Duration>& intervals) {
  if (intervals.empty()) return std::chrono::seconds(1);
  std::vector<Duration> sorted = intervals;
  std::sort(sorted.begin(), sorted.end());
  const double seconds = to_seconds(sorted[sorted.size() / 2]);
  return Duration{std::llround(std::max(0.1, std::round(seconds * 10) / 10) * 1e9)};
}

}  // namespace

Status export_metric(SeriesSource& source, const MetricExport& what, const ExportLine& line) {
  if (analyse::formula_of(*what.metric) == nullptr) {
    return fail(
        ErrorCode::kBadUse, "--metric",
        fmt::format("'{}' is computed over all connections of a server; export the counter retrans instead",
                    what.metric->name));
  }
  auto inventory = source.inventory();
  if (!inventory) return forward(inventory);
  std::vector<Column> columns;
  std::vector<Duration> intervals;
  std::map<std::pair<std::string, std::string>, std::uint32_t> members;
  analyse::TrackSpec track;
  track.metric = what.metric;
  const auto& hosts = what.request.hosts;
  for (const DeviceInfo& device : inventory->devices) {
    const bool wanted = device.kind == what.metric->kind && glob_match(what.device_glob, device.device) &&
                        (hosts.empty() || std::find(hosts.begin(), hosts.end(), device.host) != hosts.end());
    if (!wanted) continue;
    members.emplace(std::pair(device.host, device.device), static_cast<std::uint32_t>(columns.size()));
    columns.push_back({device.host, device.device});
    track.hosts.push_back(device.host);
    if (device.interval) intervals.push_back(*device.interval);
  }
  if (columns.empty()) {
    return fail(ErrorCode::kNotFound, "",
                fmt::format("no {} that fits was recorded", to_name(what.metric->kind)));
  }
  const Duration interval = median_interval(intervals);
  const analyse::Grid grid{what.step.count() > 0 ? what.step : interval};
  const auto router = [&members](const std::string& host, DeviceKind, const std::string& device) {
    const auto found = members.find({host, device});
    return found == members.end() ? std::vector<analyse::Route>{}
                                  : std::vector<analyse::Route>{{0, found->second}};
  };
  analyse::MetricStream stream(grid, interval, {track}, router);
  const auto emit = [&](const analyse::MetricCell& cell) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const double value = cell.columns[0][i];
      if (!std::isnan(value)) line(grid.end(cell.cell), columns[i].host, columns[i].device, value);
    }
  };
  ReadRequest request = what.request;
  request.kinds = {what.metric->kind};
  auto reader = source.read(request);
  if (!reader) return forward(reader);
  for (;;) {
    auto table = (*reader)->next();
    if (!table) return forward(table);
    if (!*table) break;
    if (!(*table)->times().empty()) {
      stream.advance(*std::min_element((*table)->times().begin(), (*table)->times().end()), emit);
    }
    stream.add(**table);
  }
  stream.finish(emit);
  return {};
}

}  // namespace laggard::cmd
