#include "analyse/judge/group_judge.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "analyse/judge/peers.h"

namespace laggard::analyse {

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

/// log2(1 + cwnd), so that a fraction of the median is defined for windows of one segment (methods.md §3).
double log_window(double cwnd) { return std::log2(1 + cwnd); }

WindowSpec spec_of(const MetricSpec& metric, WindowSpec spec, double congestion_seconds) {
  if (metric.role == Role::kCongestion) {
    const auto samples = static_cast<std::size_t>(std::ceil(congestion_seconds / to_seconds(spec.interval)));
    spec.smoothing = std::clamp<std::size_t>(samples, 1, 2 * spec.size);
  }
  return spec;
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

std::vector<double> means(const Window& window) {
  std::vector<double> sum(window.components, 0);
  std::vector<double> count(window.components, 0);
  for (std::size_t k = 0; k < window.size; ++k) {
    for (std::size_t i = 0; i < window.components; ++i) {
      const double x = window.at(i, k);
      if (std::isnan(x)) continue;
      sum[i] += x;
      count[i] += 1;
    }
  }
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = count[i] > 0 ? sum[i] / count[i] : kMissing;
  return sum;
}

/// Takes from `distance` what lies on the healthy side, and notes what lies below.
void tell_sides(const std::vector<double>& levels, TrackJudgement& track) {
  const MedianOfOthers peers(levels);
  track.below.assign(levels.size(), 0);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (std::isnan(levels[i])) continue;
    const double middle = peers.without(levels[i]);
    if (levels[i] < middle && !std::isnan(track.distance[i])) track.below[i] = track.distance[i];
    if (track.metric->bad == BadDirection::kHigher && !(levels[i] > middle)) track.distance[i] = 0;
  }
}

}  // namespace

GroupJudge::GroupJudge(std::vector<Column> columns, std::size_t members, JudgeOptions options)
    : columns_(std::move(columns)), members_(members), options_(std::move(options)) {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const MetricSpec& metric = *columns_[c].metric;
    streams_.emplace_back(spec_of(metric, options_.windows, options_.constants.congestion_seconds), members_);
    if (metric.role == Role::kLatency && columns_[c].judged && !latency_column_) latency_column_ = c;
  }
}

void GroupJudge::push(WallTime t, std::span<const std::vector<double>> cells, const Sink& sink) {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::span<const double> column = cells[c];
    if (columns_[c].metric->role == Role::kCongestion && !options_.paper) {
      logged_.resize(members_);
      std::transform(column.begin(), column.end(), logged_.begin(), log_window);
      column = logged_;
    }
    if (c == latency_column_) {
      raw_.push_back({t, cells[c]});
      if (raw_.size() > 2 * options_.windows.size) raw_.pop_front();
    }
    streams_[c].push(t, column, [&](const Window& window) { hold(c, window); });
  }
  while (!ready_.empty()) {
    auto first = ready_.begin();
    judge(first->first, first->second, sink);
    ready_.erase(first);
  }
}

void GroupJudge::hold(std::size_t column, const Window& window) {
  auto& held = ready_[window.index];
  held.resize(columns_.size());
  Held& copy = held[column];
  copy.values.assign(window.values.begin(), window.values.end());
  for (std::size_t i = 0; i < members_; ++i) {
    fill_holes(copy.values, members_, i, options_.constants.longest_filled_hole);
  }
  copy.window = window;
  copy.window.values = copy.values;
}

const std::vector<double>* GroupJudge::levels_of(std::string_view metric, const WindowJudgement& out) const {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].metric->name == metric) return &out.levels[c];
  }
  return nullptr;
}

Regime GroupJudge::regime_of(const WindowJudgement& out) const {
  const auto* reads = levels_of("rd_sec", out);
  const auto* writes = levels_of("wr_sec", out);
  if (reads == nullptr || writes == nullptr) return Regime::kAny;
  const double read = median_of(*reads);
  const double written = median_of(*writes);
  if (std::isnan(read) || std::isnan(written)) return Regime::kAny;
  return read > written ? Regime::kReads : Regime::kWrites;
}

double GroupJudge::least_floor(const MetricSpec& metric) const {
  return noise_floor(options_.constants, metric, options_.flash);
}

double GroupJudge::floor_of(const MetricSpec& metric, const WindowJudgement& out) const {
  const double least = least_floor(metric);
  if (options_.paper) return least;
  const auto pair_level = [&](std::string_view one, std::string_view other) {
    const auto* a = levels_of(one, out);
    const auto* b = levels_of(other, out);
    if (a == nullptr || b == nullptr) return kMissing;
    std::vector<double> sum(a->size());
    std::transform(a->begin(), a->end(), b->begin(), sum.begin(), std::plus<>());
    return median_of(sum);
  };
  double level = kMissing;
  if (metric.name == "rd_sec" || metric.name == "wr_sec") level = pair_level("rd_sec", "wr_sec");
  if (metric.name == "rxbyt" || metric.name == "txbyt") level = pair_level("rxbyt", "txbyt");
  if (std::isnan(level)) level = median_of(*levels_of(metric.name, out));
  if (std::isnan(level)) return least;
  return std::max(least, policy_of(options_.constants, metric).floor_share * level);
}

void GroupJudge::judge_congestion(std::size_t column, const Held& held, WindowJudgement& out) {
  TrackJudgement track;
  track.metric = columns_[column].metric;
  track.detector = "cwnd";
  std::vector<double> sum(members_, 0);
  std::vector<double> largest(members_, 0);
  std::vector<double> count(members_, 0);
  std::vector<double> row(members_);
  for (std::size_t k = 0; k < held.window.size; ++k) {
    for (std::size_t i = 0; i < members_; ++i) row[i] = held.window.at(i, k);
    // F averages the windows themselves and takes the logarithm of that; ours averages logarithms.
    if (options_.paper) std::transform(row.begin(), row.end(), row.begin(), log_window);
    const double middle = median_of(row);
    if (!(middle > 0)) continue;
    for (std::size_t i = 0; i < members_; ++i) {
      if (std::isnan(row[i])) continue;
      const double below = 1 - row[i] / middle;
      sum[i] += below;
      largest[i] = std::max(largest[i], below);
      count[i] += 1;
    }
  }
  // F indicts in any second that falls below the fraction; ours asks for the whole window.
  for (std::size_t i = 0; i < members_; ++i) {
    const double below = options_.paper ? largest[i] : std::max(0.0, sum[i] / count[i]);
    track.distance.push_back(count[i] > 0 ? below : kMissing);
  }
  out.tracks.push_back(std::move(track));
}

void GroupJudge::judge_column(std::size_t column, const Held& held, WindowJudgement& out) {
  const MetricSpec& metric = *columns_[column].metric;
  if (metric.role == Role::kCongestion) {
    judge_congestion(column, held, out);
    return;
  }
  const std::vector<double>& levels = out.levels[column];
  const double floor = floor_of(metric, out);
  // F has one threshold for a server's await, whatever the server does.
  const bool by_regime = metric.role == Role::kLatency && !options_.paper;
  const Regime regime = by_regime ? regime_of(out) : Regime::kAny;
  const auto* requests = levels_of("tps", out);
  const bool idle = !options_.paper && metric.role == Role::kLatency && requests != nullptr &&
                    !(median_of(*requests) >= options_.constants.idle_requests);
  sorted_.assign(held.window);
  for (const Distance kind : options_.distances) {
    TrackJudgement track;
    track.metric = &metric;
    track.detector = to_name(kind);
    track.regime = regime;
    track.floor = floor;
    track.distance.assign(members_, 0);
    if (sorted_.active() > 0) {
      CompareOptions compare;
      compare.bins.noise_floor = floor;
      compare.bins.floor_use = options_.paper ? FloorUse::kWithoutSpread : FloorUse::kAlways;
      const auto comparer = make_comparer(kind, compare);
      comparer->load(sorted_);
      comparer->scores(track.distance);
      track.yardstick = yardsticks_.make(kind, compare, sorted_, track.distance);
    }
    for (std::size_t i = 0; i < members_; ++i) {
      if (idle && !(levels[i] >= options_.constants.stall_ms)) track.distance[i] = 0;
    }
    if (!options_.paper) tell_sides(levels, track);
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
  const MedianOfOthers peers(activity);
  for (std::size_t i = 0; i < members_; ++i) {
    if (activity[i] == 0 && peers.without(activity[i]) >= 1) out.absent[i] = 1;
  }
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
  std::vector<std::size_t> count(members_, 0);
  for (const RawColumn& column : raw_) {
    if (column.time < out.start || column.time >= out.end) continue;
    for (std::size_t i = 0; i < members_; ++i) {
      if (!(column.values[i] > 0)) continue;
      out.active_latency[i] += column.values[i];
      ++count[i];
    }
  }
  for (std::size_t i = 0; i < members_; ++i) {
    const bool enough = 2 * count[i] >= options_.windows.size;
    out.active_latency[i] = enough ? out.active_latency[i] / static_cast<double>(count[i]) : kMissing;
  }
}

void GroupJudge::judge(std::int64_t index, std::vector<Held>& held, const Sink& sink) {
  WindowJudgement out;
  out.index = index;
  out.levels.resize(columns_.size());
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const bool complete = !held[c].values.empty();
    if (complete) {
      out.start = held[c].window.start;
      out.end = held[c].window.end();
    }
    out.levels[c] = complete ? means(held[c].window) : std::vector<double>(members_, kMissing);
  }
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].judged && !held[c].values.empty()) judge_column(c, held[c], out);
  }
  find_absent(out);
  find_active_latency(out);
  hide_left_out(out);
  sink(out);
}

}  // namespace laggard::analyse
