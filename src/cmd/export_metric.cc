#include "cmd/export_metric.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "base/text.h"
#include "derive/metric_stream.h"

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

/// The devices that will be exported, and how samples find them.
struct Selection {
  std::vector<Column> columns;
  std::vector<Duration> intervals;
  std::map<std::pair<std::string, std::string>, std::uint32_t> members;
};

Selection choose(const Inventory& inventory, const MetricExport& what) {
  Selection selection;
  const auto& hosts = what.request.hosts;
  for (const DeviceInfo& device : inventory.devices) {
    const bool wanted = device.kind == what.metric->kind && glob_match(what.device_glob, device.device) &&
                        (hosts.empty() || std::find(hosts.begin(), hosts.end(), device.host) != hosts.end());
    if (!wanted) continue;
    const auto member = static_cast<std::uint32_t>(selection.columns.size());
    selection.members.emplace(std::pair(device.host, device.device), member);
    selection.columns.push_back({device.host, device.device});
    if (device.interval) selection.intervals.push_back(*device.interval);
  }
  return selection;
}

derive::MetricStream make_stream(const Selection& selection, const MetricExport& what, Grid grid) {
  derive::TrackSpec track;
  track.metric = what.metric;
  track.members = selection.columns.size();
  for (const Column& column : selection.columns) track.hosts.push_back(column.host);
  const auto router = [&selection](const std::string& host, DeviceKind, const std::string& device) {
    const auto found = selection.members.find({host, device});
    return found == selection.members.end() ? std::vector<derive::Route>{}
                                            : std::vector<derive::Route>{{0, found->second}};
  };
  return {grid, median_interval(selection.intervals), {track}, router};
}

/// Pours all tables through the stream.
Status pour(TableReader& reader, derive::MetricStream& stream, const derive::MetricStream::Consumer& emit,
            const Status& written) {
  for (;;) {
    auto table = reader.next();
    if (!table) return forward(table);
    if (!*table) break;
    const auto& times = (*table)->times();
    if (!times.empty()) stream.advance(*std::min_element(times.begin(), times.end()), emit);
    stream.add(**table);
    if (!written) return written;
  }
  stream.finish(emit);
  return written;
}

}  // namespace

Status export_metric(SeriesSource& source, const MetricExport& what, const ExportLine& line) {
  const FormulaSpec& formula = what.metric->formula;
  if (formula.shape == FormulaShape::kPacketShare) {
    return fail(
        ErrorCode::kBadUse, "--metric",
        fmt::format("'{}' is computed over all connections of a server; export the counter {} instead",
                    what.metric->name, formula.counted.terms[0]));
  }
  auto inventory = source.inventory();
  if (!inventory) return forward(inventory);
  const Selection selection = choose(*inventory, what);
  if (selection.columns.empty()) {
    return fail(ErrorCode::kNotFound, "",
                fmt::format("no {} that fits was recorded", to_name(what.metric->kind)));
  }
  const Grid grid{what.step.count() > 0 ? what.step : median_interval(selection.intervals)};
  derive::MetricStream stream = make_stream(selection, what, grid);
  Status written;
  const auto emit = [&](const derive::MetricCell& cell) {
    for (std::size_t i = 0; i < selection.columns.size(); ++i) {
      const double value = cell.columns[0][i];
      const Column& column = selection.columns[i];
      if (!std::isnan(value) && written)
        written = line(grid.end(cell.cell), column.host, column.device, value);
    }
  };
  ReadRequest request = what.request;
  request.kinds = {what.metric->kind};
  auto reader = source.read(request);
  if (!reader) return forward(reader);
  return pour(**reader, stream, emit, written);
}

}  // namespace laggard::cmd
