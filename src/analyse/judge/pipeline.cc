#include "analyse/judge/pipeline.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>

namespace laggard::analyse {

namespace {

/// A metric can be computed when one of these sets of counters was recorded.
struct Needs {
  std::string_view metric;
  std::array<std::string_view, 2> counters;
  std::string_view gauge;  ///< Or this one.
};
constexpr std::array kNeeds{
    Needs{"rd_sec", {"rd_sectors", ""}, "rd_sec"},
    Needs{"wr_sec", {"wr_sectors", ""}, "wr_sec"},
    Needs{"await", {"rd_ms", "wr_ms"}, "await"},
    Needs{"tps", {"rd_ios", "wr_ios"}, "ios"},
    Needs{"avgrq-sz", {"rd_sectors", "wr_sectors"}, ""},
    Needs{"avgqu-sz", {"weighted_ms", ""}, ""},
    Needs{"%util", {"io_ms", ""}, ""},
    Needs{"throughput", {"", ""}, "throughput"},
    Needs{"latency", {"", ""}, "latency"},
    Needs{"rxbyt", {"rx_bytes", ""}, "rxbyt"},
    Needs{"txbyt", {"tx_bytes", ""}, "txbyt"},
    Needs{"rxpck", {"rx_packets", ""}, "rxpck"},
    Needs{"txpck", {"tx_packets", ""}, "txpck"},
    Needs{"cwnd", {"snd_cwnd", ""}, ""},
    Needs{"retransmits", {"retrans", ""}, ""},
};

bool can_compute(const MetricSpec& metric, const std::set<std::string>& counters) {
  const auto has = [&](std::string_view name) { return counters.contains(std::string(name)); };
  for (const Needs& needs : kNeeds) {
    if (needs.metric != metric.name) continue;
    if (!needs.gauge.empty() && has(needs.gauge)) return true;
    if (needs.counters[0].empty()) return false;
    return has(needs.counters[0]) && (needs.counters[1].empty() || has(needs.counters[1]));
  }
  return false;
}

DeviceKind device_kind_of(GroupKind kind) {
  switch (kind) {
    case GroupKind::kDisks:
      return DeviceKind::kDisk;
    case GroupKind::kInterfaces:
      return DeviceKind::kNet;
    case GroupKind::kTcpFromServers:
    case GroupKind::kTcpFromClients:
      return DeviceKind::kTcp;
  }
  return DeviceKind::kDisk;
}

bool is_helper(const MetricSpec& metric) {
  constexpr std::array<std::string_view, 5> kHelpers{"rd_sec", "wr_sec", "tps", "rxbyt", "txbyt"};
  return std::find(kHelpers.begin(), kHelpers.end(), metric.name) != kHelpers.end();
}

}  // namespace

std::set<std::string> counters_of(const Inventory& inventory) {
  std::set<std::string> names;
  for (const DeviceInfo& device : inventory.devices) {
    for (const TableCounter& counter : device.counters) names.insert(counter.name);
  }
  return names;
}

std::vector<GroupJudge::Column> columns_for(GroupKind kind, const std::vector<const MetricSpec*>& wanted,
                                            const std::set<std::string>& counters, bool paper) {
  std::vector<GroupJudge::Column> columns;
  for (const MetricSpec& metric : metric_catalogue()) {
    if (metric.kind != device_kind_of(kind) || !can_compute(metric, counters)) continue;
    // The papers had no retransmissions.
    if (paper && wanted.empty() && metric.role == Role::kRetransmission) continue;
    const bool judged = wanted.empty() ? metric.diagnosed_by_default
                                       : std::find(wanted.begin(), wanted.end(), &metric) != wanted.end();
    if (judged || is_helper(metric)) columns.push_back({&metric, judged});
  }
  const bool any =
      std::any_of(columns.begin(), columns.end(), [](const auto& column) { return column.judged; });
  if (!any) columns.clear();
  return columns;
}

namespace {

/// Devices that do not rotate have a smaller noise floor; a group counts as flash when it is known of all of
/// them.
bool all_flash(const Grouping& grouping, const PeerGroup& group) {
  return std::all_of(group.members.begin(), group.members.end(),
                     [&](ComponentId id) { return grouping[id].rotational == false; });
}

}  // namespace

TrackSpec make_track(const Grouping& grouping, std::size_t group, const MetricSpec& metric) {
  TrackSpec track;
  track.metric = &metric;
  track.group = static_cast<std::uint32_t>(group);
  track.side =
      grouping.groups[group].kind == GroupKind::kTcpFromClients ? PacketSide::kReceived : PacketSide::kSent;
  for (const ComponentId id : grouping.groups[group].members) track.hosts.push_back(grouping[id].host);
  return track;
}

Router make_router(const Grouping& grouping) {
  std::vector<std::vector<Route>> routes(grouping.components.size());
  for (std::size_t g = 0; g < grouping.groups.size(); ++g) {
    const auto& members = grouping.groups[g].members;
    for (std::size_t m = 0; m < members.size(); ++m) {
      routes[members[m].index()].push_back({static_cast<std::uint32_t>(g), static_cast<std::uint32_t>(m)});
    }
  }
  return [&grouping, routes = std::move(routes)](const std::string& host, DeviceKind kind,
                                                 const std::string& device) -> std::vector<Route> {
    const auto component = grouping.resolver.find(host, kind, device);
    return component ? routes[component->index()] : std::vector<Route>{};
  };
}

Pipeline::Pipeline(const Grouping& grouping, PipelineOptions options)
    : grouping_(grouping), options_(std::move(options)), grid_{options_.windows.interval} {
  std::vector<TrackSpec> tracks;
  for (std::size_t g = 0; g < grouping.groups.size(); ++g) {
    const PeerGroup& group = grouping.groups[g];
    columns_.push_back(columns_for(group.kind, options_.metrics, options_.counters, options_.paper));
    first_track_.push_back(tracks.size());
    order_.push_back(g);
    JudgeOptions judge;
    judge.windows = options_.windows;
    judge.distances = options_.distances;
    judge.paper = options_.paper;
    judge.constants = options_.constants;
    judge.flash = all_flash(grouping, group);
    judges_.push_back(std::make_unique<GroupJudge>(columns_.back(), group.members.size(), std::move(judge)));
    for (const GroupJudge::Column& column : columns_.back()) {
      tracks.push_back(make_track(grouping, g, *column.metric));
    }
  }
  std::stable_partition(order_.begin(), order_.end(),
                        [&](std::size_t g) { return grouping.groups[g].second_only; });
  stream_ = std::make_unique<MetricStream>(grid_, options_.sample_interval, std::move(tracks),
                                           make_router(grouping));
}

const std::vector<GroupJudge::Column>& Pipeline::columns(std::size_t group) const { return columns_[group]; }

std::int64_t Pipeline::position(WallTime start) const {
  const std::int64_t cell = grid_.cell(start);
  const auto after = std::upper_bound(resumptions_.begin(), resumptions_.end(), cell,
                                      [](std::int64_t c, const Resumption& r) { return c < r.cell; });
  const std::int64_t here = after == resumptions_.begin() ? cell : cell - std::prev(after)->lost;
  // A window may start in the gap that its samples follow.
  return after == resumptions_.end() ? here : std::min(here, after->cell - after->lost);
}

std::span<const std::vector<double>> Pipeline::visible(std::size_t group, const MetricCell& cell) {
  const auto all = cell.columns.subspan(first_track_[group], columns_[group].size());
  if (options_.interventions.empty()) return all;
  const auto& members = grouping_.groups[group].members;
  std::vector<std::uint8_t> left_out(members.size(), 0);
  for (std::size_t i = 0; i < members.size(); ++i) {
    const bool excluded = options_.interventions.excluded(members[i].index(), grid_.end(cell.cell));
    left_out[i] = excluded ? 1 : 0;
  }
  visible_.assign(all.begin(), all.end());
  for (std::vector<double>& column : visible_) {
    for (std::size_t i = 0; i < column.size(); ++i) {
      if (left_out[i] != 0) column[i] = std::numeric_limits<double>::quiet_NaN();
    }
  }
  judges_[group]->leave_out(std::move(left_out));
  return visible_;
}

void Pipeline::pass_on(const MetricCell& cell, const Sink& sink) {
  const std::int64_t lost = cell.cell - last_cell_ - 1;
  if (last_cell_ != 0 && lost > static_cast<std::int64_t>(options_.windows.size)) {
    resumptions_.push_back({cell.cell, lost + (resumptions_.empty() ? 0 : resumptions_.back().lost)});
  }
  last_cell_ = cell.cell;
  for (const std::size_t g : order_) {
    if (columns_[g].empty()) continue;
    judges_[g]->push(grid_.end(cell.cell), visible(g, cell), [&](WindowJudgement& window) {
      window.position = position(window.start);
      sink(g, window);
    });
  }
}

void Pipeline::add(const SampleTable& table, const Sink& sink) {
  if (!table.times().empty()) {
    const WallTime first = *std::min_element(table.times().begin(), table.times().end());
    stream_->advance(first, [&](const MetricCell& cell) { pass_on(cell, sink); });
  }
  stream_->add(table);
}

void Pipeline::finish(const Sink& sink) {
  stream_->finish([&](const MetricCell& cell) { pass_on(cell, sink); });
}

}  // namespace laggard::analyse
