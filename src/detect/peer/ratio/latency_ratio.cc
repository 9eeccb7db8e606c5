#include "detect/peer/ratio/latency_ratio.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "base/clones.h"
#include "base/missing.h"
#include "detect/peer/judge/levels.h"
#include "stats/missing_values.h"

namespace laggard::detect {

namespace {

/// Of two there is no telling who is slow.
constexpr std::size_t kLeastActive = 3;

bool is_compared_by_ratio(const MetricSpec& metric) {
  return metric.role == Role::kLatency && metric.diagnosed_by_default;
}

/// Of an even number the smaller of the two in the middle.
double lower_median(std::vector<double> numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>((numbers.size() - 1) / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

LAGGARD_CLONES std::size_t count_above(const double* x, double least, std::size_t n) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; ++i) count += x[i] > least ? 1U : 0U;
  return count;
}

std::vector<double> present_of(std::span<const double> numbers) {
  std::vector<double> present;
  std::ranges::copy_if(numbers, std::back_inserter(present), [](double x) { return !std::isnan(x); });
  return present;
}

}  // namespace

ShortWindows short_windows(const RatioOptions& options, Duration cell) {
  const auto cells = static_cast<std::int64_t>(std::ceil(options.seconds / to_seconds(cell)));
  const std::int64_t half = (std::max(cells, static_cast<std::int64_t>(options.least_cells)) + 1) / 2;
  return {.size = 2 * half, .shift = half};
}

LatencyRatios::LatencyRatios(const Grouping& grouping, const Parameters& parameters, Grid grid,
                             Workers* workers)
    : grouping_(grouping),
      options_(parameters.ratio),
      stall_ms_(parameters.stall_ms),
      grid_(grid),
      windows_(short_windows(options_, grid.step)),
      workers_(workers) {
  if (options_.seconds <= 0) return;
  for (const PeerGroup& group : grouping.groups) {
    Group& mine = groups_.emplace_back();
    for (const MetricSpec& metric : metric_catalogue()) {
      if (metric.kind != device_kind(group.kind) || !is_compared_by_ratio(metric)) continue;
      mine.floor = std::max(mine.floor, noise_floor(parameters, metric, all_flash(grouping, group)));
    }
  }
}

std::size_t LatencyRatios::members(std::size_t group) const { return grouping_.groups[group].members.size(); }

bool LatencyRatios::has(std::size_t group, Channel channel) const {
  return groups_[group].now[channel].data() != nullptr;
}

void LatencyRatios::observe(std::size_t group, const MetricSpec& metric, const CellRuns::Run& /*run*/,
                            std::span<const double> rows) {
  if (!watches()) return;
  Group& mine = groups_[group];
  if (is_compared_by_ratio(metric) && (mine.latency == nullptr || mine.latency == &metric)) {
    mine.latency = &metric;
    mine.now[kLatency] = rows;
  }
  if (metric.quantity == Quantity::kRequests) mine.now[kRequests] = rows;
  if (metric.quantity == Quantity::kBusyTime) mine.now[kBusy] = rows;
  if (metric.quantity == Quantity::kRead) mine.now[kRead] = rows;
  if (metric.quantity == Quantity::kWritten) mine.now[kWritten] = rows;
}

void LatencyRatios::end_run(const CellRuns::Run& run) {
  if (!watches()) return;
  if (run.begin != run_.end) {
    first_ = run.begin;
    kept_ = run.begin;
    for (Group& group : groups_) group.before = {};
  }
  run_ = run;
  run_all(workers_, groups_.size(), [this](std::size_t g) { look(g); });
  keep_rows();
}

std::span<const double> LatencyRatios::row(std::size_t group, Channel channel, std::int64_t cell) const {
  const std::size_t n = members(group);
  const bool is_new = cell >= run_.begin;
  const std::span<const double> rows =
      is_new ? groups_[group].now[channel] : std::span<const double>(groups_[group].before[channel]);
  return rows.subspan(static_cast<std::size_t>(cell - (is_new ? run_.begin : kept_)) * n, n);
}

/// Windows begin up to a window before the next run; its cells are gone by then.
void LatencyRatios::keep_rows() {
  const std::int64_t kept = std::max(first_, run_.end - windows_.size + 1);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (const Channel channel : {kLatency, kRequests, kBusy, kRead, kWritten}) {
      if (!has(g, channel)) continue;
      std::vector<double> rows;
      rows.reserve(static_cast<std::size_t>(run_.end - kept) * members(g));
      for (std::int64_t cell = kept; cell < run_.end; ++cell) {
        const std::span<const double> one = row(g, channel, cell);
        rows.insert(rows.end(), one.begin(), one.end());
      }
      groups_[g].before[channel] = std::move(rows);
    }
    groups_[g].now = {};
  }
  kept_ = kept;
}

/// Nobody whose latency is not above this is slow.
double LatencyRatios::least_latency(std::size_t group) const {
  const double least = options_.least_ratio * groups_[group].floor;
  const bool stalls_alone = has(group, kRequests) && !has(group, kBusy);
  return stalls_alone ? std::max(least, stall_ms_) : least;
}

/// In nearly all windows of nearly all groups nobody's latency is anything in any cell; that takes one look
/// at each number.
void LatencyRatios::look(std::size_t group) {
  groups_[group].found.clear();
  if (!has(group, kLatency) || grouping_.groups[group].second_only) return;
  const double least = least_latency(group);
  std::optional<std::int64_t> latest;  // Cell in which somebody's was.
  for (std::int64_t cell = kept_; cell < run_.begin; ++cell) {
    if (count_above(row(group, kLatency, cell).data(), least, members(group)) > 0) latest = cell;
  }
  Window window;
  for (std::int64_t cell = run_.begin; cell < run_.end; ++cell) {
    if (count_above(row(group, kLatency, cell).data(), least, members(group)) > 0) latest = cell;
    if (cell % windows_.shift != 0 || cell - windows_.size + 1 < first_) continue;
    if (latest && *latest > cell - windows_.size) judge(group, cell, window);
  }
}

/// Sums up the window. \return whether anybody could be slow.
bool LatencyRatios::average(std::size_t group, std::int64_t last, Window& window) const {
  const std::size_t n = members(group);
  window.latency.assign(n, 0);
  window.count.assign(n, 0);
  for (std::int64_t cell = last - windows_.size + 1; cell <= last; ++cell) {
    stats::add_positive(row(group, kLatency, cell), window.latency, window.count);
  }
  const double least = least_latency(group);
  const double half = static_cast<double>(windows_.size) / 2;
  for (std::size_t i = 0; i < n; ++i) {
    if (window.count[i] >= half && window.latency[i] > least * window.count[i]) return true;
  }
  return false;
}

/// Who of those that were summed up is suspected. \return whether the window says something: most of the
/// group is active, and fewer than half of these are suspected.
bool LatencyRatios::compare(std::size_t group, std::int64_t last, Window& window) const {
  const std::size_t n = members(group);
  std::vector<std::uint8_t> there(n, 0);
  for (std::int64_t cell = last - windows_.size + 1; cell <= last; ++cell) {
    const std::span<const double> latencies = row(group, kLatency, cell);
    for (std::size_t i = 0; i < n; ++i) {
      if (!std::isnan(latencies[i])) there[i] = 1;
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    const bool active =
        2 * window.count[i] >= static_cast<double>(windows_.size) && std::isfinite(window.latency[i]);
    window.latency[i] = active ? window.latency[i] / window.count[i] : kMissing;
  }
  std::vector<double> active = present_of(window.latency);
  window.active = active.size();
  const auto present = static_cast<std::size_t>(std::ranges::count(there, 1));
  if (window.active < kLeastActive || 2 * window.active < present + 1) return false;
  window.peers = std::max(lower_median(active), groups_[group].floor);
  window.slowest = window.peers;
  window.suspects.clear();
  for (std::size_t i = 0; i < n; ++i) {
    if (window.latency[i] > options_.least_ratio * window.peers) {
      window.suspects.push_back(i);
    } else if (window.latency[i] > window.slowest) {
      window.slowest = window.latency[i];
    }
  }
  return 2 * window.suspects.size() < window.active;
}

bool LatencyRatios::is_steady(std::size_t group, std::int64_t last, std::size_t member, double least) const {
  std::int64_t slow = 0;
  for (std::int64_t cell = last - windows_.size + 1; cell <= last; ++cell) {
    slow += row(group, kLatency, cell)[member] > least ? 1 : 0;
  }
  return 4 * slow >= 3 * windows_.size;
}

/// Where the second group says nothing, the first decides alone (T §6.2.3).
bool LatencyRatios::is_slow_beside_second(std::size_t group, std::int64_t last, std::size_t member) const {
  const PeerGroup& peers = grouping_.groups[group];
  if (peers.double_with.empty() || !peers.double_with[member]) return true;
  const std::size_t second = peers.double_with[member]->index();
  const auto& others = grouping_.groups[second].members;
  const auto place = std::ranges::find(others, peers.members[member]);
  if (place == others.end() || !has(second, kLatency)) return true;
  Window window;
  if (!average(second, last, window)) return true;
  if (!compare(second, last, window)) return true;
  return std::ranges::count(window.suspects, static_cast<std::size_t>(place - others.begin())) > 0;
}

/// Per member, over the window; what was never there adds nothing.
std::vector<double> LatencyRatios::sums(std::size_t group, Channel channel, std::int64_t last) const {
  std::vector<double> sum(members(group), 0);
  std::vector<double> count(members(group), 0);
  for (std::int64_t cell = last - windows_.size + 1; cell <= last; ++cell) {
    stats::add_present(row(group, channel, cell), sum, count);
  }
  for (std::size_t i = 0; i < sum.size(); ++i) {
    if (count[i] == 0) sum[i] = kMissing;
  }
  return sum;
}

/// What they moved meanwhile, as their peers did (kStorageMoved). \param found  of one window.
void LatencyRatios::add_moved(std::size_t group, std::span<SlowMember> found) const {
  if (found.empty() || !has(group, kRead) || !has(group, kWritten)) return;
  std::vector<double> moved = sums(group, kRead, found[0].cell);
  const std::vector<double> written = sums(group, kWritten, found[0].cell);
  const auto cells = static_cast<double>(windows_.size);
  for (std::size_t i = 0; i < moved.size(); ++i) moved[i] = (moved[i] + written[i]) / cells;
  const stats::MedianOfOthers peers(moved);
  for (SlowMember& slow : found) {
    const double own = moved[slow.member];
    slow.moved = own;
    slow.moved_by_peers = peers.without(own);
    slow.moved_scatter = peers.scatter_without(own);
  }
}

/// Per member: it made enough requests and worked longer for them than its peers did, or it is stalled. A
/// queue that forms at one of many equal disks, since everybody waits for the slowest, is no sign of that: it
/// multiplies latencies by fifty where a disk is slower by a fifth. Where requests are recorded and busy
/// times are not, as with production, only a stall is proof; what another tool computed has to do by itself.
std::vector<std::uint8_t> LatencyRatios::busy_enough(std::size_t group, std::int64_t last,
                                                     const Window& window) const {
  const std::size_t n = members(group);
  std::vector<std::uint8_t> enough(n, has(group, kRequests) ? 0 : 1);
  if (!has(group, kRequests)) return enough;
  std::vector<double> requests = sums(group, kRequests, last);
  for (double& number : requests) number *= grid_.seconds();
  if (!(stats::median_of(requests) >= options_.least_requests)) return enough;
  std::vector<double> slowdown(n, kMissing);
  if (has(group, kBusy)) slowdown = slowdown_of(sums(group, kBusy, last), requests);
  for (std::size_t i = 0; i < n; ++i) {
    const bool stalled = window.latency[i] >= stall_ms_ &&
                         window.count[i] >= static_cast<double>(windows_.size) &&
                         !(requests[i] >= options_.least_requests);
    const bool slower = requests[i] >= options_.least_requests && slowdown[i] >= options_.least_slowdown;
    enough[i] = stalled || slower ? 1 : 0;
  }
  return enough;
}

void LatencyRatios::judge(std::size_t group, std::int64_t last, Window& window) {
  if (!average(group, last, window) || !compare(group, last, window) || window.suspects.empty()) return;
  const double ratio = std::max(options_.least_ratio, options_.least_gap * window.slowest / window.peers);
  std::erase_if(window.suspects, [&](std::size_t i) { return !(window.latency[i] > ratio * window.peers); });
  if (window.suspects.empty()) return;
  const std::vector<std::uint8_t> enough = busy_enough(group, last, window);
  std::vector<SlowMember>& found = groups_[group].found;
  const std::size_t before = found.size();
  for (const std::size_t i : window.suspects) {
    if (enough[i] == 0 || !is_steady(group, last, i, options_.least_ratio / 2 * window.peers)) continue;
    if (!is_slow_beside_second(group, last, i)) continue;
    found.push_back({.group = group,
                     .member = i,
                     .cell = last,
                     .metric = groups_[group].latency,
                     .latency = window.latency[i],
                     .peers = window.peers,
                     .ratio = ratio});
  }
  add_moved(group, std::span(found).subspan(before));
}

void LatencyRatios::attach(JudgedRun& judged) const {
  for (const Group& group : groups_) {
    std::ranges::copy_if(group.found, std::back_inserter(judged.slow), [&](const SlowMember& slow) {
      return slow.cell >= judged.run.begin && slow.cell < judged.run.end;
    });
  }
  std::ranges::stable_sort(judged.slow, {}, &SlowMember::cell);
}

}  // namespace laggard::detect
