#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "derive/metric_stream.h"
#include "detect/peer/compare/smoother.h"
#include "engine/pipeline_options.h"
#include "model/grouping.h"
#include "model/plot.h"

namespace laggard::engine {

/// One plot that is wanted: a metric of a group, and for an incident's evidence who is sick in it and when.
struct PlotRequest {
  std::size_t group = 0;
  const MetricSpec* metric = nullptr;
  std::string sick;  ///< Empty: a training plot.
  std::vector<TimeSpan> flagged;
  std::optional<TimeSpan> distribution;  ///< The window whose distributions are wanted too.
};

struct CollectedPlot {
  PeerPlot plot;
  std::optional<DistributionPlot> distribution;
};

/// Collects, in a second pass over the samples, what plots show: the smoothed values that were compared. At
/// most `kMostPoints` points a plot, whatever the length of the recording: past that, neighbours are
/// averaged.
class PlotCollector {
 public:
  static constexpr std::size_t kMostPoints = 1200;

  /// \param span  of the recording; decides how many cells make a point.
  PlotCollector(const Grouping& grouping, const PipelineOptions& options, TimeSpan span,
                std::vector<PlotRequest> requests);

  void add(const SampleTable& table);
  /// As Pipeline::add and advance.
  void add(const EventTable& table) { derivations_.add(table); }
  void advance(WallTime until);
  [[nodiscard]] std::vector<CollectedPlot> finish();

 private:
  struct Line {
    detect::Smoother smoother;
    std::vector<double> smoothed;
    std::vector<double> sum;
    std::vector<double> count;
    std::int64_t point = 0;
    bool started = false;
  };

  void take(const derive::MetricCell& cell);
  void add_derived(WallTime until);
  void close_point(std::size_t i);

  Grid grid_;
  std::int64_t cells_per_point_ = 1;
  std::vector<PlotRequest> requests_;
  std::vector<Line> lines_;
  std::vector<CollectedPlot> collected_;
  Derivations derivations_;
  derive::MetricStream stream_;
};

}  // namespace laggard::engine
