#include "detect/peer/judge/group_judge.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/missing.h"
#include "detect/peer/judge/levels.h"
#include "stats/clones.h"
#include "stats/missing_values.h"

namespace laggard::detect {

namespace {

/// log2(1 + cwnd), so that a fraction of the median is defined for windows of one segment
/// (docs/methods/peer.md).
double log_window(double cwnd) { return std::log2(1 + cwnd); }

/// Whether the metric is held against the median of its peers instead of by a distance.
bool against_median(const MetricSpec& metric) {
  return metric.role == Role::kCongestion || metric.role == Role::kDelay || metric.role == Role::kOccupancy ||
         metric.role == Role::kCapacity;
}

/// Of one member's samples in `values`, rows of `members` each, fills the holes that are short; see
/// GroupJudge.
void fill_holes(std::span<double> values, std::size_t members, std::size_t member, std::size_t longest) {
  const std::size_t samples = values.size() / members;
  const auto at = [&](std::size_t k) -> double& { return values[k * members + member]; };
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

/// 0 / 0 is the NaN that says missing.
LAGGARD_CLONES void divide(double* sum, const double* count, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) sum[i] /= count[i];
}

/// Of those that are busy one by one; the others' means are 0.
std::vector<double> means_of_few(const Window& window) {
  std::vector<double> mean(window.components, 0);
  for (const std::uint32_t i : *window.busy) {
    double sum = 0;
    double count = 0;
    for (std::size_t k = 0; k < window.size; ++k) {
      const double x = window.at(i, k);
      if (std::isnan(x)) continue;
      sum += x;
      count += 1;
    }
    mean[i] = count > 0 ? sum / count : kMissing;
  }
  return mean;
}

std::vector<double> means(const Window& window) {
  constexpr std::size_t kFew = 4;
  if (window.busy && window.busy->size() < window.components / kFew) return means_of_few(window);
  std::vector<double> sum(window.components, 0);
  std::vector<double> count(window.components, 0);
  for (std::size_t k = 0; k < window.size; ++k) {
    stats::add_present(window.values.subspan(k * window.components, window.components), sum, count);
  }
  divide(sum.data(), count.data(), window.components);
  return sum;
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
  return windows;
}

GroupJudge::GroupJudge(std::vector<Column> columns, std::size_t members, JudgeOptions options)
    : columns_(std::move(columns)), members_(members), options_(std::move(options)) {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const MetricSpec& metric = *columns_[c].metric;
    streams_.emplace_back(windows_of(metric, options_.windows, options_.parameters), members_);
    if (metric.role == Role::kLatency && columns_[c].judged && !latency_column_) latency_column_ = c;
  }
  compare_.partition = options_.parameters.partition;
  compare_.bins.floor_use = options_.parameters.policies.floor_use;
  for (const Distance kind : options_.distances) comparers_.push_back(make_comparer(kind, compare_));
}

void GroupJudge::push(WallTime t, std::span<const std::span<const double>> cells, const Sink& sink) {
  const Policies& policies = options_.parameters.policies;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::span<const double> column = cells[c];
    const MetricSpec& metric = *columns_[c].metric;
    const bool later = metric.role == Role::kCongestion && policies.congestion == CongestionTest::kEachSecond;
    if (metric.log_unit > 0 && !later) {
      logged_.resize(members_);
      std::ranges::transform(column, logged_.begin(),
                             [&](double x) { return std::log2(1 + x / metric.log_unit); });
      column = logged_;
    }
    if (c == latency_column_) {
      raw_.push_back({t, {cells[c].begin(), cells[c].end()}});
      if (raw_.size() > 2 * options_.windows.size) raw_.pop_front();
    }
    streams_[c].push(t, column, [&](const Window& window) { hold(c, window); });
  }
  const std::int64_t cell = to_unix_ns(t) / options_.windows.interval.count();
  if (cell <= judge_after_) ready_.clear();
  while (!ready_.empty()) {
    judged_.push_back(ready_.extract(ready_.begin()));
    judge(judged_.back().key(), judged_.back().mapped(), sink);
  }
}

std::vector<GroupJudge::Held>& GroupJudge::ready_at(std::int64_t index) {
  if (const auto at = ready_.find(index); at != ready_.end()) return at->second;
  if (judged_.empty()) return ready_.emplace(index, columns_.size()).first->second;
  Ready::node_type again = std::move(judged_.back());
  judged_.pop_back();
  again.key() = index;
  for (Held& held : again.mapped()) held.here = false;
  return ready_.insert(std::move(again)).position->second;
}

/// A window without holes needs no copy: it is the last one that its stream hands out, and judged before the
/// stream is given more.
void GroupJudge::hold(std::size_t column, const Window& window) {
  Held& copy = ready_at(window.index)[column];
  copy.here = true;
  copy.window = window;
  if (window.complete) return;
  copy.values.assign(window.values.begin(), window.values.end());
  LAGGARD_CHECK(window.holed.has_value());
  for (const std::uint32_t i : *window.holed) {
    fill_holes(copy.values, members_, i, options_.parameters.longest_filled_hole);
  }
  copy.window.values = copy.values;
  copy.window.holed.reset();
  if (!window.busy) return;
  copy.busy.assign(window.busy->begin(), window.busy->end());
  copy.window.busy = copy.busy;
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

void GroupJudge::judge_against_median(std::size_t column, const Held& held, WindowJudgement& out) {
  const MetricSpec& metric = *columns_[column].metric;
  const bool each_second = metric.role == Role::kCongestion &&
                           options_.parameters.policies.congestion == CongestionTest::kEachSecond;
  TrackJudgement track;
  track.metric = &metric;
  track.detector = metric.name;
  std::vector<double> sum(members_, 0);
  std::vector<double> largest(members_, 0);
  std::vector<double> count(members_, 0);
  std::vector<double> row(members_);
  for (std::size_t k = 0; k < held.window.size; ++k) {
    for (std::size_t i = 0; i < members_; ++i) row[i] = held.window.at(i, k);
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

void GroupJudge::judge_column(std::size_t column, const Held& held, WindowJudgement& out) {
  const MetricSpec& metric = *columns_[column].metric;
  if (against_median(metric)) {
    judge_against_median(column, held, out);
    return;
  }
  const Policies& policies = options_.parameters.policies;
  const std::vector<double>& levels = out.levels[column];
  const double floor = floor_of(column);
  const bool by_regime = metric.role == Role::kLatency && policies.regimes;
  const Regime regime_now = by_regime ? regime() : Regime::kAny;
  const bool idle = out.idle && policies.idleness && metric.role == Role::kLatency;
  sorted_.assign(held.window);
  CompareOptions compare = compare_;
  compare.bins.noise_floor = floor;
  for (std::size_t d = 0; d < comparers_.size(); ++d) {
    const Distance kind = options_.distances[d];
    TrackJudgement track;
    track.metric = &metric;
    track.detector = to_name(kind);
    track.regime = regime_now;
    track.floor = floor;
    track.distance.assign(members_, 0);
    if (sorted_.active() > 0) {
      comparers_[d]->set_noise_floor(floor);
      comparers_[d]->load(sorted_);
      comparers_[d]->scores(track.distance);
      track.scale = scales_.make(kind, compare, sorted_, track.distance);
    }
    for (std::size_t i = 0; i < members_; ++i) {
      if (idle && !(levels[i] >= options_.parameters.stall_ms)) track.distance[i] = 0;
    }
    if (policies.directions) tell_sides(levels, track);
    out.tracks.push_back(std::move(track));
  }
}

void GroupJudge::find_absent(WindowJudgement& out) const {
  out.absent.assign(members_, 0);
  std::vector<double> activity(members_, 0);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const Role role = columns_[c].metric->role;
    if (role != Role::kThroughput) continue;
    const double floor = std::max(least_floor(*columns_[c].metric), std::numeric_limits<double>::min());
    for (std::size_t i = 0; i < members_; ++i) {
      const double level = out.levels[c][i];
      if (!std::isnan(level)) activity[i] = std::max(activity[i], level / floor);
    }
  }
  if (std::find(activity.begin(), activity.end(), 0.0) == activity.end()) return;
  if (!(stats::MedianOfOthers(activity).without(0) >= 1)) return;
  std::transform(activity.begin(), activity.end(), out.absent.begin(),
                 [](double active) { return active == 0 ? std::uint8_t{1} : std::uint8_t{0}; });
}

void GroupJudge::hide_left_out(WindowJudgement& out) const {
  for (std::size_t i = 0; i < left_out_.size(); ++i) {
    if (left_out_[i] == 0) continue;
    out.absent[i] = 0;
    for (TrackJudgement& track : out.tracks) track.distance[i] = kMissing;
  }
}

void GroupJudge::find_active_latency(WindowJudgement& out) {
  if (!latency_column_) return;
  out.latency_column = *latency_column_;
  out.latency_floor = least_floor(*columns_[*latency_column_].metric);
  out.active_latency.assign(members_, 0);
  std::vector<double> count(members_, 0);
  for (const RawColumn& column : raw_) {
    if (column.time < out.start || column.time >= out.end) continue;
    stats::add_positive(column.values, out.active_latency, count);
  }
  for (std::size_t i = 0; i < members_; ++i) {
    const bool enough = 2 * count[i] >= static_cast<double>(options_.windows.size);
    out.active_latency[i] = enough ? out.active_latency[i] / count[i] : kMissing;
  }
}

void GroupJudge::judge(std::int64_t index, std::vector<Held>& held, const Sink& sink) {
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
  out.idle = column_of(Quantity::kRequests) &&
             !(median_level(Quantity::kRequests) >= options_.parameters.idle_requests);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].judged && held[c].here) judge_column(c, held[c], out);
  }
  find_absent(out);
  find_active_latency(out);
  hide_left_out(out);
  sink(out);
}

}  // namespace laggard::detect
