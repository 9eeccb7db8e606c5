#include "engine/columns.h"

#include <algorithm>
#include <array>
#include <utility>

#include "detect/peer/ratio/latency_ratio.h"

namespace laggard::engine {

namespace {

bool was_recorded(std::string_view counter, const std::set<std::string>& counters) {
  return !counter.empty() && counters.contains(std::string(counter));
}

bool was_recorded(const CounterSum& sum, const std::set<std::string>& counters) {
  return was_recorded(sum.total, counters) || std::ranges::all_of(sum.terms, [&](std::string_view term) {
           return term.empty() || was_recorded(term, counters);
         });
}

bool can_compute(const MetricSpec& metric, const std::set<std::string>& counters) {
  const FormulaSpec& formula = metric.formula;
  return was_recorded(formula.computed_rate, counters) ||
         (was_recorded(formula.counted, counters) && was_recorded(formula.per, counters));
}

constexpr Duration kFineSamples = std::chrono::seconds(5);

/// Whether all devices of a kind have the counter.
bool is_everywhere(std::string_view counter, DeviceKind kind, const Inventory& inventory) {
  return std::ranges::all_of(inventory.devices, [&](const DeviceInfo& device) {
    return device.kind != kind ||
           std::ranges::find(device.counters, counter, &TableCounter::name) != device.counters.end();
  });
}

/// Quantities that detectors ask for, whatever is judged.
bool is_helper(const MetricSpec& metric, const PipelineOptions& options) {
  switch (metric.quantity) {
    case Quantity::kRead:
    case Quantity::kWritten:
    case Quantity::kReceived:
    case Quantity::kSent:
    case Quantity::kRequests:
    case Quantity::kWaiters:
      return true;
    case Quantity::kBusyTime:
      return options.busy_times;
    case Quantity::kTraffic:
    case Quantity::kReadLatency:
    case Quantity::kOther:
      return false;
  }
  return false;
}

/// Whether the members of a group show the metric: some are told by one end of connections alone.
bool is_shown_by(const MetricSpec& metric, GroupKind kind) {
  if (metric.kind != device_kind(kind)) return false;
  if (kind == GroupKind::kTcpFromServers) return metric.end != ConnectionEnd::kClients;
  if (kind == GroupKind::kTcpFromClients) return metric.end != ConnectionEnd::kServers;
  return true;
}

}  // namespace

std::set<std::string> counters_of(const Inventory& inventory) {
  std::set<std::string> names;
  for (const DeviceInfo& device : inventory.devices) {
    for (const TableCounter& counter : device.counters) names.insert(counter.name);
  }
  return names;
}

std::vector<std::string> counters_to_read(const Grouping& grouping, const PipelineOptions& options,
                                          const Inventory& inventory) {
  std::set<const MetricSpec*> metrics;
  for (const PeerGroup& group : grouping.groups) {
    for (const auto& column : columns_for(group.kind, options)) metrics.insert(column.metric);
  }
  std::array<std::set<std::string_view>, kDeviceKinds> read;
  for (const MetricSpec* metric : metrics) {
    for (const DeviceKindSpec& kind : device_kinds()) {
      const auto inputs = metric->inputs(kind.kind);
      read[static_cast<std::size_t>(kind.kind)].insert(inputs.begin(), inputs.end());
    }
  }
  std::set<std::string> names;
  for (const DeviceInfo& device : inventory.devices) {
    for (const TableCounter& counter : device.counters) {
      if (read[static_cast<std::size_t>(device.kind)].contains(counter.name)) names.insert(counter.name);
    }
  }
  // What tells stalls where requests in flight were not recorded need not be read where they were.
  for (const MetricSpec* metric : metrics) {
    const FormulaSpec::Stall& stall = metric->formula.stall;
    if (stall.queue_ms.empty()) continue;
    const bool counted = std::ranges::any_of(
        metrics, [&](const MetricSpec* other) { return other->formula.counted.terms[0] == stall.queue_ms; });
    if (!counted && is_everywhere(stall.in_flight, metric->kind, inventory)) {
      names.erase(std::string(stall.queue_ms));
    }
  }
  return {names.begin(), names.end()};
}

bool is_fine(const detect::WindowSpec& windows) { return windows.interval <= kFineSamples; }

bool wants_busy_times(const detect::WindowSpec& windows, const detect::Parameters& parameters) {
  return is_fine(windows) && parameters.least_slowdown > 0;
}

std::vector<detect::GroupJudge::Column> columns_for(GroupKind kind, const PipelineOptions& options) {
  const std::vector<const MetricSpec*>& wanted = options.metrics;
  std::vector<detect::GroupJudge::Column> columns;
  for (const MetricSpec& metric : metric_catalogue()) {
    if (!is_shown_by(metric, kind) || !can_compute(metric, options.counters)) continue;
    if (metric.is_ours && wanted.empty() && !options.parameters.policies.our_metrics) continue;
    const bool by_default = metric.diagnosed_by_default && options.windows.interval >= metric.least_interval;
    const bool judged =
        wanted.empty() ? by_default : std::find(wanted.begin(), wanted.end(), &metric) != wanted.end();
    if (!judged && !is_helper(metric, options)) continue;
    columns.push_back({&metric, judged, detect::is_compared_by_factors(options.parameters.policies, metric)});
  }
  const bool any =
      std::any_of(columns.begin(), columns.end(), [](const auto& column) { return column.judged; });
  if (!any) columns.clear();
  return columns;
}

std::int64_t history_cells(const Grouping& grouping, const PipelineOptions& options) {
  const detect::RatioOptions& ratio = options.parameters.ratio;
  std::size_t most =
      ratio.seconds <= 0
          ? 0
          : static_cast<std::size_t>(detect::short_windows(ratio, options.windows.interval).size);
  for (const PeerGroup& group : grouping.groups) {
    for (const auto& column : columns_for(group.kind, options)) {
      const auto consider = [&](const detect::WindowSpec& preset) {
        const detect::WindowSpec windows = detect::windows_of(*column.metric, preset, options.parameters);
        most = std::max(most, windows.size + windows.smoothing);
      };
      consider(options.windows);
      if (options.beside) consider(options.beside->preset.windows);
    }
  }
  return static_cast<std::int64_t>(most);
}

derive::TrackSpec make_track(const Grouping& grouping, std::size_t group, const MetricSpec& metric) {
  derive::TrackSpec track;
  track.metric = &metric;
  track.group = static_cast<std::uint32_t>(group);
  track.side = grouping.groups[group].kind == GroupKind::kTcpFromClients ? derive::PacketSide::kReceived
                                                                         : derive::PacketSide::kSent;
  const std::vector<ComponentId>& members = grouping.groups[group].members;
  track.members = members.size();
  if (metric.formula.shape != FormulaShape::kPacketShare) return track;
  for (const ComponentId id : members) track.hosts.push_back(grouping[id].host);
  return track;
}

derive::Router make_router(const Grouping& grouping) {
  std::vector<std::vector<derive::Route>> routes(grouping.components.size());
  for (std::size_t g = 0; g < grouping.groups.size(); ++g) {
    const auto& members = grouping.groups[g].members;
    for (std::size_t m = 0; m < members.size(); ++m) {
      routes[members[m].index()].push_back({static_cast<std::uint32_t>(g), static_cast<std::uint32_t>(m)});
    }
  }
  return [&grouping, routes = std::move(routes)](const std::string& host, DeviceKind kind,
                                                 const std::string& device) -> std::vector<derive::Route> {
    const auto component = grouping.resolver.find(host, kind, device);
    return component ? routes[component->index()] : std::vector<derive::Route>{};
  };
}

}  // namespace laggard::engine
