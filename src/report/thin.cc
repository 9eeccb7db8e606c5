#include "report/thin.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "base/error.h"

namespace laggard::report {

namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

/// The least and the greatest of `values` in the order in which they came; missing ones are passed over.
std::pair<float, float> extremes(std::span<const float> values) {
  std::size_t least = values.size();
  std::size_t most = values.size();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    if (least == values.size() || values[i] < values[least]) least = i;
    if (most == values.size() || values[i] > values[most]) most = i;
  }
  if (least == values.size()) return {kMissing, kMissing};
  return {values[std::min(least, most)], values[std::max(least, most)]};
}

float greatest(std::span<const float> values) {
  float out = kMissing;
  for (const float value : values) {
    if (!(value <= out)) out = std::isnan(value) ? out : value;
  }
  return out;
}

}  // namespace

PeerPlot thinned(const PeerPlot& plot, std::size_t most) {
  LAGGARD_CHECK(most >= 2);
  const std::size_t n = plot.times.size();
  if (n <= most) return plot;
  const std::size_t bucket = (n + most / 2 - 1) / (most / 2);
  PeerPlot out = plot;
  out.times.clear();
  for (auto& row : out.values) row.clear();
  for (std::size_t first = 0; first < n; first += bucket) {
    const std::size_t length = std::min(bucket, n - first);
    out.times.push_back(plot.times[first]);
    if (length > 1) out.times.push_back(plot.times[first + length / 2]);
    for (std::size_t c = 0; c < plot.values.size(); ++c) {
      const auto [early, late] = extremes(std::span(plot.values[c]).subspan(first, length));
      out.values[c].push_back(early);
      if (length > 1) out.values[c].push_back(late);
    }
  }
  return out;
}

ScoreMap thinned(const ScoreMap& map, std::size_t most) {
  LAGGARD_CHECK(most >= 1);
  const std::size_t n = map.windows.size();
  if (n <= most) return map;
  const std::size_t bucket = (n + most - 1) / most;
  ScoreMap out = map;
  out.windows.clear();
  for (auto& row : out.scores) row.clear();
  for (std::size_t first = 0; first < n; first += bucket) {
    const std::size_t length = std::min(bucket, n - first);
    out.windows.push_back(map.windows[first]);
    for (std::size_t c = 0; c < map.scores.size(); ++c) {
      out.scores[c].push_back(greatest(std::span(map.scores[c]).subspan(first, length)));
    }
  }
  out.window_length = map.windows[bucket - 1] - map.windows[0] + map.window_length;
  return out;
}

}  // namespace laggard::report
