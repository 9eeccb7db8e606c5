#include "engine/plot_collector.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/missing.h"
#include "engine/columns.h"

namespace laggard::engine {

namespace {

std::vector<derive::TrackSpec> tracks_for(const Grouping& grouping,
                                          const std::vector<PlotRequest>& requests) {
  std::vector<derive::TrackSpec> tracks;
  tracks.reserve(requests.size());
  for (const PlotRequest& request : requests) {
    tracks.push_back(make_track(grouping, request.group, *request.metric));
  }
  return tracks;
}

}  // namespace

PlotCollector::PlotCollector(const Grouping& grouping, const PipelineOptions& options, TimeSpan span,
                             std::vector<PlotRequest> requests)
    : grid_{options.windows.interval},
      requests_(std::move(requests)),
      derivations_(options.derived, options.sample_interval),
      stream_(grid_, options.sample_interval, tracks_for(grouping, requests_), make_router(grouping)) {
  const std::int64_t cells = grid_.cell(span.to) - grid_.cell(span.from) + 1;
  const auto most = static_cast<std::int64_t>(kMostPoints);
  cells_per_point_ = std::max<std::int64_t>(1, (cells + most - 1) / most);
  for (const PlotRequest& request : requests_) {
    const PeerGroup& group = grouping.groups[request.group];
    const std::size_t n = group.members.size();
    lines_.push_back({detect::Smoother(options.windows.smoothing, n), std::vector<double>(n),
                      std::vector<double>(n, 0), std::vector<double>(n, 0)});
    PeerPlot plot;
    plot.metric = request.metric->name;
    plot.unit = request.metric->unit;
    plot.group = group.name;
    plot.sick = request.sick;
    plot.flagged = request.flagged;
    for (const ComponentId id : group.members) plot.components.push_back(grouping[id].name);
    plot.values.resize(n);
    CollectedPlot& collected = collected_.emplace_back();
    if (request.distribution) {
      collected.distribution =
          DistributionPlot{plot.metric,           plot.unit,       plot.sick,
                           *request.distribution, plot.components, std::vector<std::vector<float>>(n)};
    }
    collected.plot = std::move(plot);
  }
}

void PlotCollector::close_point(std::size_t i) {
  Line& line = lines_[i];
  PeerPlot& plot = collected_[i].plot;
  plot.times.push_back(grid_.end(line.point * cells_per_point_));
  for (std::size_t m = 0; m < line.sum.size(); ++m) {
    const double mean = line.count[m] > 0 ? line.sum[m] / line.count[m] : kMissing;
    plot.values[m].push_back(static_cast<float>(mean));
  }
  std::fill(line.sum.begin(), line.sum.end(), 0);
  std::fill(line.count.begin(), line.count.end(), 0);
}

void PlotCollector::take(const derive::MetricCell& cell) {
  const std::int64_t point = cell.cell / cells_per_point_;
  const WallTime time = grid_.end(cell.cell);
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    Line& line = lines_[i];
    if (line.started && point != line.point) {
      close_point(i);
      // A hole in the recording is a hole in the line.
      if (point > line.point + 1) {
        line.point = point - 1;
        line.smoother.clear();
        close_point(i);
      }
    }
    line.started = true;
    line.point = point;
    line.smoother.push(cell.columns[i], line.smoothed);
    const auto& window = requests_[i].distribution;
    const bool in_window = window && time >= window->from && time < window->to;
    for (std::size_t m = 0; m < line.smoothed.size(); ++m) {
      if (std::isnan(line.smoothed[m])) continue;
      line.sum[m] += line.smoothed[m];
      line.count[m] += 1;
      if (in_window) collected_[i].distribution->sorted[m].push_back(static_cast<float>(line.smoothed[m]));
    }
  }
}

void PlotCollector::add_derived(WallTime until) {
  for (const SampleTable& table : derivations_.take(until)) stream_.add(table);
}

void PlotCollector::advance(WallTime until) {
  add_derived(until);
  stream_.advance(until, [this](const derive::MetricCell& cell) { take(cell); });
}

void PlotCollector::add(const SampleTable& table) {
  if (!table.times().empty()) {
    const WallTime first = *std::min_element(table.times().begin(), table.times().end());
    advance(first);
  }
  stream_.add(table);
}

std::vector<CollectedPlot> PlotCollector::finish() {
  add_derived(WallTime::max());
  stream_.finish([this](const derive::MetricCell& cell) { take(cell); });
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (lines_[i].started) close_point(i);
    if (!collected_[i].distribution) continue;
    for (std::vector<float>& samples : collected_[i].distribution->sorted)
      std::sort(samples.begin(), samples.end());
  }
  return std::move(collected_);
}

}  // namespace laggard::engine
