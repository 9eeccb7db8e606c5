#pragma once

#include <string>
#include <vector>

#include "base/time.h"
#include "model/incident.h"

namespace laggard {

/// All peers of a group in one metric, superimposed: the plot by which the papers convince (T
/// Figs 4.1-4.4, 5.4, 5.5). Values are the smoothed samples that were compared, thinned to at most a screen's
/// width.
struct PeerPlot {
  std::string metric;
  std::string unit;
  std::string group;
  std::string sick;                        ///< The component in colour; empty for a training plot.
  std::vector<WallTime> times;             ///< n points.
  std::vector<std::string> components;     ///< m peers.
  std::vector<std::vector<float>> values;  ///< m x n; NaN where missing.
  std::vector<TimeSpan> flagged;           ///< Windows in which the sick component was anomalous.
};

/// Cumulative distributions of the peers in the worst window (T Fig 4.5).
struct DistributionPlot {
  std::string metric;
  std::string unit;
  std::string sick;
  TimeSpan window;
  std::vector<std::string> components;  ///< m peers.
  std::vector<std::vector<float>>
      sorted;  ///< m ascending lists of the window's samples; missing ones left out.
};

/// Components x windows of score = distance / threshold, the largest over the metrics.
struct ScoreMap {
  std::string group;
  std::vector<WallTime> windows;  ///< n window starts.
  Duration window_length{};
  std::vector<std::string> components;     ///< m, natural order.
  std::vector<std::vector<float>> scores;  ///< m x n; NaN where the window could not be judged.
};

struct IncidentPlots {
  std::string incident;  ///< Incident::id
  std::vector<PeerPlot> peers;
  std::vector<DistributionPlot> distributions;
};

/// Everything a report draws, beside the diagnosis itself.
struct Plots {
  std::vector<IncidentPlots> incidents;
  std::vector<ScoreMap> maps;
};

}  // namespace laggard
