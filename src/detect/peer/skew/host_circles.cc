#include "detect/peer/skew/host_circles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>

#include "base/error.h"
#include "base/missing.h"
#include "base/text.h"

namespace laggard::detect {

namespace {

constexpr std::array<Quantity, kLoadChannels> kChannels{
    Quantity::kRead, Quantity::kWritten, Quantity::kTraffic, Quantity::kReceived, Quantity::kSent};
/// Of two there is no telling whose clock is off.
constexpr std::size_t kLeastHosts = 3;
/// Of more hosts nothing is said, so that what is kept of them stays small.
constexpr std::size_t kMostHosts = 2048;

bool counts(const Grouping& grouping, const PeerGroup& group) {
  if (group.second_only || group.members.empty()) return false;
  if (group.kind == GroupKind::kInterfaces) return true;
  if (group.kind != GroupKind::kDisks) return false;
  return !std::ranges::all_of(group.members,
                              [&](ComponentId id) { return grouping[id].priority.value_or(0) > 0; });
}

/// Who is connected with whom.
class Connections {
 public:
  void connect(const std::string& a, const std::string& b) {
    const std::string top = root(b);
    above_[root(a)] = top;
  }

  /// All that are connected, in natural order of their hosts.
  [[nodiscard]] std::vector<std::vector<std::string>> all() {
    std::map<std::string, std::vector<std::string>> by_root;
    std::vector<std::string> hosts;
    for (const auto& [host, above] : above_) hosts.push_back(host);
    std::ranges::sort(hosts, natural_less);
    for (const std::string& host : hosts) by_root[root(host)].push_back(host);
    std::vector<std::vector<std::string>> all;
    all.reserve(by_root.size());
    for (auto& [root, connected] : by_root) all.push_back(std::move(connected));
    std::ranges::sort(all, natural_less,
                      [](const auto& connected) { return std::string_view(connected[0]); });
    return all;
  }

 private:
  std::string root(const std::string& host) {
    std::string at = host;
    for (auto above = above_.try_emplace(host, host).first; above->second != at; above = above_.find(at)) {
      at = above->second;
    }
    above_[host] = at;
    return at;
  }

  std::map<std::string, std::string> above_;  ///< A root is above itself.
};

}  // namespace

std::size_t HostCircles::row_of(std::size_t circle) const { return kLoadChannels * circles[circle].size(); }

std::size_t HostCircles::first_of(std::size_t circle) const {
  std::size_t first = 0;
  for (std::size_t c = 0; c < circle; ++c) first += row_of(c);
  return first;
}

std::size_t HostCircles::row() const { return first_of(circles.size()); }

HostCircles make_circles(const Grouping& grouping) {
  Connections connections;
  for (const PeerGroup& group : grouping.groups) {
    if (!counts(grouping, group)) continue;
    for (const ComponentId id : group.members) {
      connections.connect(grouping[id].host, grouping[group.members.front()].host);
    }
  }
  HostCircles circles;
  std::map<std::string, std::pair<std::size_t, std::size_t>> place_of;
  for (std::vector<std::string>& hosts : connections.all()) {
    if (hosts.size() < kLeastHosts || hosts.size() > kMostHosts) continue;
    for (std::size_t h = 0; h < hosts.size(); ++h) place_of[hosts[h]] = {circles.circles.size(), h};
    circles.circles.push_back(std::move(hosts));
  }
  for (const PeerGroup& group : grouping.groups) {
    auto& place = circles.places.emplace_back();
    if (!counts(grouping, group)) continue;
    const auto circle = place_of.find(grouping[group.members.front()].host);
    if (circle == place_of.end()) continue;
    place.emplace().circle = circle->second.first;
    for (const ComponentId id : group.members) place->hosts.push_back(place_of.at(grouping[id].host).second);
  }
  return circles;
}

std::optional<std::size_t> load_channel(const MetricSpec& metric) {
  const auto* found = std::ranges::find(kChannels, metric.quantity);
  if (found == kChannels.end()) return std::nullopt;
  return static_cast<std::size_t>(found - kChannels.begin());
}

void HostLoads::begin_run(const CellRuns::Run& run) {
  if (begun_) return;
  begun_ = true;
  loads_.assign(static_cast<std::size_t>(run.end - run.begin) * circles_.row(), kMissing);
}

void HostLoads::observe(std::size_t group, const MetricSpec& metric, const CellRuns::Run& run,
                        std::span<const double> rows) {
  const auto channel = load_channel(metric);
  const auto& place = circles_.places[group];
  if (!place || !channel) return;
  begin_run(run);
  const std::size_t members = place->hosts.size();
  const std::size_t first =
      circles_.first_of(place->circle) + *channel * circles_.circles[place->circle].size();
  const std::size_t width = circles_.row();
  for (std::size_t k = 0; k * members < rows.size(); ++k) {
    double* loads = loads_.data() + k * width + first;
    const double* row = rows.data() + k * members;
    for (std::size_t i = 0; i < members; ++i) {
      if (std::isnan(row[i])) continue;
      double& load = loads[place->hosts[i]];
      load = std::isnan(load) ? row[i] : load + row[i];
    }
  }
}

void HostLoads::end_run(const CellRuns::Run& run) {
  begin_run(run);
  sink_(run, loads_);
  begun_ = false;
}

RunLoads::RunLoads(const Grouping& grouping, const ClockOptions& options)
    : watched_(options.reach > 0),
      circles_(make_circles(grouping)),
      loads_(circles_, [this](const CellRuns::Run& run, std::span<const double> rows) {
        run_ = run;
        rows_.assign(rows.begin(), rows.end());
      }) {}

std::size_t RunLoads::row(const Grouping& grouping, const ClockOptions& options) {
  return options.reach > 0 ? make_circles(grouping).row() : 0;
}

void RunLoads::attach(JudgedRun& judged) const {
  if (!watched_) return;
  LAGGARD_CHECK(judged.run.begin >= run_.begin && judged.run.end <= run_.end);
  const auto first = static_cast<std::size_t>(judged.run.begin - run_.begin) * circles_.row();
  const auto count = static_cast<std::size_t>(judged.run.end - judged.run.begin) * circles_.row();
  const std::span<const double> rows = std::span(rows_).subspan(first, count);
  judged.loads.assign(rows.begin(), rows.end());
}

}  // namespace laggard::detect
