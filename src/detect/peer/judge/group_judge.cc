#include "detect/peer/judge/group_judge.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "base/missing.h"
#include "detect/peer/compare/bias.h"
#include "detect/peer/judge/apart.h"
#include "detect/peer/judge/levels.h"
#include "detect/peer/judge/service_times.h"
#include "stats/missing_values.h"

namespace laggard::detect {

namespace {

/// log2(1 + cwnd), so that a fraction of the median is defined for windows of one segment
/// (docs/methods/peer.md).
double log_window(double cwnd) { return std::log2(1 + cwnd); }

/// Of two nobody can tell which one is odd, and one alone has nobody to be held against: in a window in which
/// fewer have samples nobody is judged.
constexpr std::ptrdiff_t kLeastTogether = 3;

bool has_peers(const std::vector<double>& levels) {
  return std::ranges::count_if(levels, [](double level) { return !std::isnan(level); }) >= kLeastTogether;
}

/// Whether the metric is held against the median of its peers instead of by a distance.
bool against_median(const MetricSpec& metric) {
  switch (metric.role) {
    case Role::kThroughput:
    case Role::kLatency:
    case Role::kRetransmission:
      return false;
    case Role::kCongestion:
    case Role::kDelay:
    case Role::kOccupancy:
    case Role::kCapacity:
    case Role::kErrors:
      return true;
  }
  return false;
}

/// Of one member's samples in `values`, rows of `width` each, fills the holes that are short; see GroupJudge.
void fill_holes(std::span<double> values, std::size_t width, std::size_t place, std::size_t longest) {
  const std::size_t samples = values.size() / width;
  const auto at = [&](std::size_t k) -> double& { return values[k * width + place]; };
  std::size_t k = 0;
  while (k < samples) {
    if (!std::isnan(at(k))) {
      ++k;
      continue;
    }
    const std::size_t first = k;
    while (k < samples && std::isnan(at(k))) ++k;
    if (k - first > longest || (first == 0 && k == samples)) continue;
    const double filler = first > 0 ? at(first - 1) : at(k);
    for (std::size_t i = first; i < k; ++i) at(i) = filler;
  }
}

/// Of each member's present samples; of those that are not busy 0.
std::vector<double> means(const Window& window) {
  std::vector<double> sum(window.width(), 0);
  std::vector<double> count(window.width(), 0);
  for (std::size_t k = 0; k < window.size; ++k) stats::add_present(window.row(k), sum, count);
  stats::divide_by(sum, count);
  if (!window.busy) return sum;
  std::vector<double> mean(window.components, 0);
  for (std::size_t b = 0; b < sum.size(); ++b) mean[(*window.busy)[b]] = sum[b];
  return mean;
}

/// Takes from `distance` what lies on the healthy side, and notes what lies below.
void tell_sides(const std::vector<double>& levels, TrackJudgement& track) {
  const stats::MedianOfOthers peers(levels);
  track.below.assign(levels.size(), 0);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (std::isnan(levels[i])) continue;
    const double middle = peers.without(levels[i]);
    if (levels[i] < middle && !std::isnan(track.distance[i])) track.below[i] = track.distance[i];
    if (track.metric->bad == BadDirection::kHigher && !(levels[i] > middle)) track.distance[i] = 0;
  }
}

}  // namespace

WindowSpec windows_of(const MetricSpec& metric, WindowSpec windows, const Parameters& parameters) {
  if (metric.role == Role::kCongestion) {
    const double samples = std::ceil(parameters.congestion_seconds / to_seconds(windows.interval));
    windows.smoothing = std::clamp<std::size_t>(static_cast<std::size_t>(samples), 1, 2 * windows.size);
  }
  if (is_judged_by_deviation(metric, parameters.policies)) windows.smoothing = 1;
  return windows;
}

JudgeMemory::JudgeMemory(std::span<const Distance> distances, const Parameters& parameters) {
  compare.partition = parameters.partition;
  compare.bins.floor_use = parameters.policies.floor_use;
  for (const Distance kind : distances) comparers.push_back(make_comparer(kind, compare));
}

GroupJudge::GroupJudge(std::vector<Column> columns, std::size_t members, JudgeOptions options)
    : columns_(std::move(columns)), members_(members), options_(std::move(options)) {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const MetricSpec& metric = *columns_[c].metric;
    streams_.emplace_back(windows_of(metric, options_.windows, options_.parameters), members_);
    if (metric.role == Role::kLatency && columns_[c].judged) add_latency(c);
  }
}

/// Reads count by how much was read: a sample with a single one says little of a disk.
void GroupJudge::add_latency(std::size_t column) {
  const auto is_of_reads = [&](std::size_t c) {
    return columns_[c].metric->quantity == Quantity::kReadLatency;
  };
  const bool reads = is_of_reads(column);
  for (const LatencyHistory& known : latencies_) {
    if (is_of_reads(known.column()) == reads) return;
  }
  // Windows that come after a gap may begin a window before it, which is no more cells ago.
  LatencyHistory history(column, reads ? column_of(Quantity::kRead) : std::nullopt,
                         options_.windows.size + 1);
  latencies_.insert(reads ? latencies_.end() : latencies_.begin(), std::move(history));
}

/// What is compared of a column: where factors count its logarithm.
std::span<const double> GroupJudge::compared(const MetricSpec& metric, std::span<const double> column,
                                             JudgeMemory& memory) const {
  if (!is_compared_by_factors(options_.parameters.policies, metric)) return column;
  memory.row.resize(members_);
  std::ranges::transform(column, memory.row.begin(),
                         [&](double x) { return std::log2(1 + x / metric.log_unit); });
  return memory.row;
}

void GroupJudge::push(WallTime t, std::span<const std::span<const double>> cells, JudgeMemory& memory,
                      const Sink& sink) {
  memory.windows.resize(std::max(memory.windows.size(), columns_.size()));
  Ready ready;
  const auto ready_at = [&](std::int64_t index) -> std::vector<HeldWindow>& {
    const auto [at, is_new] = ready.try_emplace(index);
    if (!is_new) return at->second;
    if (!memory.held.empty()) {
      at->second = std::move(memory.held.back());
      memory.held.pop_back();
    }
    at->second.resize(columns_.size());
    for (HeldWindow& held : at->second) held.here = false;
    return at->second;
  };
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const std::span<const double> column = compared(*columns_[c].metric, cells[c], memory);
    streams_[c].push(t, column, memory.windows[c], [&](const Window& window) {
      hold(c, ready_at(window.index)[c], window, memory.windows[c]);
    });
  }
  for (LatencyHistory& history : latencies_) history.push(t, cells);
  const std::int64_t cell = to_unix_ns(t) / options_.windows.interval.count();
  for (auto& [index, held] : ready) {
    if (cell > judge_after_) judge(index, held, memory, sink);
    for (std::size_t c = 0; c < held.size(); ++c) {
      if (memory.windows[c].values.capacity() == 0) std::swap(memory.windows[c], held[c].memory);
    }
    memory.held.push_back(std::move(held));
  }
}

std::size_t GroupJudge::held() const {
  std::size_t numbers = 0;
  for (const GroupStream& stream : streams_) numbers += stream.held();
  for (const LatencyHistory& history : latencies_) numbers += history.held();
  return numbers;
}

/// Takes over the memory that the window lies in: the stream may have more windows to hand out.
void GroupJudge::hold(std::size_t column, HeldWindow& held, const Window& window,
                      WindowMemory& memory) const {
  held.here = true;
  held.window = window;
  std::swap(held.memory, memory);
  // A second that was not seen is not judged by the one before it.
  if (is_judged_by_deviation(*columns_[column].metric, options_.parameters.policies)) return;
  const std::vector<std::uint32_t>& busy = held.memory.busy;
  for (const std::uint32_t i : held.memory.holed) {
    const auto place = std::ranges::lower_bound(busy, i) - busy.begin();
    fill_holes(held.memory.values, busy.size(), static_cast<std::size_t>(place),
               options_.parameters.longest_filled_hole);
  }
  held.window.holed.reset();
}

std::optional<std::size_t> GroupJudge::column_of(Quantity quantity) const {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].metric->quantity == quantity) return c;
  }
  return std::nullopt;
}

double GroupJudge::median_level(Quantity quantity) const {
  const auto column = column_of(quantity);
  return column ? medians_.column[*column] : kMissing;
}

void GroupJudge::find_medians(const WindowJudgement& out) {
  medians_.column.clear();
  for (const std::vector<double>& levels : out.levels) medians_.column.push_back(stats::median_of(levels));
  medians_.storage = median_moved(columns_, out.levels, Resource::kStorage);
  medians_.network = median_moved(columns_, out.levels, Resource::kNetwork);
}

Regime GroupJudge::regime() const {
  const double read = median_level(Quantity::kRead);
  const double written = median_level(Quantity::kWritten);
  if (std::isnan(read) || std::isnan(written)) return Regime::kAny;
  return read > written ? Regime::kReads : Regime::kWrites;
}

double GroupJudge::least_floor(const MetricSpec& metric) const {
  return noise_floor(options_.parameters, metric, options_.flash);
}

double GroupJudge::floor_of(std::size_t column) const {
  const MetricSpec& metric = *columns_[column].metric;
  const double least = least_floor(metric);
  double level = kMissing;
  if (metric.is_moved()) {
    level = metric.resource == Resource::kStorage ? medians_.storage : medians_.network;
  }
  if (std::isnan(level)) level = medians_.column[column];
  if (std::isnan(level)) return least;
  return std::max(least, policy_of(options_.parameters, metric).floor_share * level);
}

namespace {

/// Of a congestion window the share of the median that is missing. Of all else by how much it lies on the
/// sick side of it: in powers of two where logarithms are compared (a round trip), else in its unit (points
/// of a share of time).
double off_median(const MetricSpec& metric, double x, double median) {
  if (metric.role == Role::kCongestion) return 1 - x / median;
  return metric.bad == BadDirection::kLower ? median - x : x - median;
}

}  // namespace

void GroupJudge::judge_against_median(std::size_t column, const HeldWindow& held, WindowJudgement& out) {
  const MetricSpec& metric = *columns_[column].metric;
  const bool each_second = is_tested_each_second(options_.parameters.policies, metric);
  TrackJudgement track;
  track.metric = &metric;
  track.detector = metric.name;
  std::vector<double> sum(members_, 0);
  std::vector<double> largest(members_, 0);
  std::vector<double> count(members_, 0);
  std::vector<double> row(members_);
  for (std::size_t k = 0; k < held.window.size; ++k) {
    held.window.spread_row(k, row);
    // F averages the windows themselves and takes the logarithm of that; ours averages logarithms.
    if (each_second) std::transform(row.begin(), row.end(), row.begin(), log_window);
    const double middle = stats::median_of(row);
    if (std::isnan(middle) || (metric.role == Role::kCongestion && middle == 0)) continue;
    for (std::size_t i = 0; i < members_; ++i) {
      if (std::isnan(row[i])) continue;
      const double off = off_median(metric, row[i], middle);
      sum[i] += off;
      largest[i] = std::max(largest[i], off);
      count[i] += 1;
    }
  }
  // F indicts in any second that falls below the fraction; ours asks for the whole window.
  for (std::size_t i = 0; i < members_; ++i) {
    const double off = each_second ? largest[i] : std::max(0.0, sum[i] / count[i]);
    track.distance.push_back(count[i] > 0 ? off : kMissing);
  }
  out.tracks.push_back(std::move(track));
}

void GroupJudge::judge_deviations(std::size_t column, const HeldWindow& held, WindowJudgement& out) const {
  TrackJudgement track;
  track.metric = columns_[column].metric;
  track.detector = kDeviationDetector;
  track.distance = largest_deviations(
      held.window, options_.trained.empty() ? std::vector<TrainedMember>{} : options_.trained[column]);
  out.tracks.push_back(std::move(track));
}

/// Each of several that stand apart is judged as though it were the only one: the nearest of them stays among
/// those that the spread is made from, as a single one does.
void GroupJudge::leave_several_out(std::size_t column, const WindowJudgement& out,
                                   SortedWindow& sorted) const {
  const MetricSpec& metric = *columns_[column].metric;
  ApartOptions options{.bad = metric.bad,
                       .floor = least_floor(metric),
                       .least_gap = options_.parameters.apart_gap,
                       .activity = activity_};
  std::vector<double> slowdown;
  if (metric.role == Role::kLatency) {
    slowdown = slowdown_of(out, columns_);
    options.slowdown = slowdown;
    options.least_slowdown = options_.parameters.least_slowdown;
    if (const auto requests = column_of(Quantity::kRequests)) options.requests = out.levels[*requests];
  }
  std::vector<std::uint32_t> apart = standing_apart(out.levels[column], options);
  if (apart.empty()) return;
  apart.pop_back();
  sorted.leave_out_of_spread(apart);
}

void GroupJudge::judge_column(std::size_t column, const HeldWindow& held, JudgeMemory& memory,
                              WindowJudgement& out) {
  const MetricSpec& metric = *columns_[column].metric;
  if (is_judged_by_deviation(metric, options_.parameters.policies)) {
    judge_deviations(column, held, out);
    return;
  }
  if (against_median(metric)) {
    judge_against_median(column, held, out);
    return;
  }
  const Policies& policies = options_.parameters.policies;
  const std::vector<double>& levels = out.levels[column];
  const double floor = floor_of(column);
  const bool by_regime =
      metric.role == Role::kLatency && metric.quantity != Quantity::kReadLatency && policies.regimes;
  const Regime regime_now = by_regime ? regime() : Regime::kAny;
  const bool idle = out.idle && policies.idleness && metric.role == Role::kLatency;
  SortedWindow& sorted = memory.sorted;
  sorted.assign(held.window);
  if (policies.several) leave_several_out(column, out, sorted);
  CompareOptions compare = memory.compare;
  compare.bins.noise_floor = floor;
  for (std::size_t d = 0; d < memory.comparers.size(); ++d) {
    const Distance kind = options_.distances[d];
    TrackJudgement track;
    track.metric = &metric;
    track.detector = to_name(kind);
    track.regime = regime_now;
    track.floor = floor;
    track.distance.assign(members_, 0);
    if (sorted.active() > 0) {
      Comparer& comparer = *memory.comparers[d];
      comparer.set_noise_floor(floor);
      comparer.load(sorted);
      comparer.scores(track.distance);
      track.scale = memory.scales.make(kind, compare, sorted, track.distance);
    }
    for (std::size_t i = 0; i < members_; ++i) {
      if (idle && !(levels[i] >= options_.parameters.stall_ms)) track.distance[i] = 0;
    }
    if (policies.directions) tell_sides(levels, track);
    out.tracks.push_back(std::move(track));
  }
}

void GroupJudge::find_activity(const WindowJudgement& out) {
  activity_.clear();
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].metric->role != Role::kThroughput) continue;
    activity_.resize(members_);
    const double floor = std::max(least_floor(*columns_[c].metric), std::numeric_limits<double>::min());
    for (std::size_t i = 0; i < members_; ++i) {
      const double level = out.levels[c][i];
      if (!std::isnan(level)) activity_[i] = std::max(activity_[i], level / floor);
    }
  }
}

void GroupJudge::find_absent(WindowJudgement& out) const {
  out.absent.assign(members_, 0);
  if (std::ranges::find(activity_, 0.0) == activity_.end()) return;
  if (!(stats::MedianOfOthers(activity_).without(0) >= 1)) return;
  std::ranges::transform(activity_, out.absent.begin(),
                         [](double active) { return active == 0 ? std::uint8_t{1} : std::uint8_t{0}; });
}

void GroupJudge::hide_left_out(WindowJudgement& out) const {
  for (std::size_t i = 0; i < left_out_.size(); ++i) {
    if (left_out_[i] == 0) continue;
    out.absent[i] = 0;
    for (TrackJudgement& track : out.tracks) track.distance[i] = kMissing;
  }
}

/// Of reads where most of the members read, else of all requests; of who waited in half of the samples.
void GroupJudge::find_active_latency(WindowJudgement& out) const {
  const std::size_t least = (options_.windows.size + 1) / 2;
  for (auto history = latencies_.rbegin(); history != latencies_.rend(); ++history) {
    std::vector<double> mean = history->means(out.start, out.end, members_, least);
    const auto active = std::ranges::count_if(mean, [](double x) { return !std::isnan(x); });
    const bool is_last_choice = std::next(history) == latencies_.rend();
    if (!is_last_choice && 2 * static_cast<std::size_t>(active) < members_) continue;
    out.latency_column = history->column();
    out.latency_floor = least_floor(*columns_[out.latency_column].metric);
    out.active_latency = std::move(mean);
    if (options_.windows.interval < kLeastBiasInterval) return;
    const Duration minute = std::max<Duration>(std::chrono::minutes(1), options_.windows.interval);
    out.slow_minutes =
        history->slow_minutes(out.start, out.end, members_, minute, options_.parameters.bias.slow_minute);
    return;
  }
}

void GroupJudge::judge(std::int64_t index, const std::vector<HeldWindow>& held, JudgeMemory& memory,
                       const Sink& sink) {
  WindowJudgement out;
  out.index = index;
  out.levels.resize(columns_.size());
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (held[c].here) {
      out.start = held[c].window.start;
      out.end = held[c].window.end();
    }
    out.levels[c] = held[c].here ? means(held[c].window) : std::vector<double>(members_, kMissing);
  }
  find_medians(out);
  find_activity(out);
  out.idle = column_of(Quantity::kRequests) &&
             !(median_level(Quantity::kRequests) >= options_.parameters.idle_requests);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].judged && held[c].here && has_peers(out.levels[c])) {
      judge_column(c, held[c], memory, out);
    }
  }
  find_absent(out);
  find_active_latency(out);
  hide_left_out(out);
  sink(out);
}

}  // namespace laggard::detect
