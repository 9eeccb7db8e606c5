#pragma once

#include <cstddef>

#include "model/plot.h"

namespace laggard::report {

/// About a screen's width: more points than this cannot be told apart.
inline constexpr std::size_t kMostPoints = 1200;

/// `plot` with at most `most` points, keeping the extremes of every component: consecutive samples share a
/// bucket of which each component's least and greatest value are kept, in the order in which they came. Their
/// times are those of the first and of the middle sample of the bucket, common to all components, so a value
/// moves by less than a bucket. A gap that fills no bucket disappears. Plots that are short enough come back
/// as they are. Requires most >= 2.
[[nodiscard]] PeerPlot thinned(const PeerPlot& plot, std::size_t most = kMostPoints);

/// `map` with at most `most` columns, each the greatest score of the windows it stands for (NaN only when all
/// are); windows grow to the span that they cover together.
[[nodiscard]] ScoreMap thinned(const ScoreMap& map, std::size_t most = kMostPoints);

}  // namespace laggard::report
