#pragma once

#include <string>

#include "model/payload.h"
#include "report/flame_graph.h"

/// Pictures of payloads as SVG that stands in the page itself, so that they print and need no script. Every
/// text in them is escaped. Empty where there is too little to draw.
namespace laggard::report {

/// The lines over each other, the subject's in the colour of what is sick.
[[nodiscard]] std::string drawing(const SeriesPayload& series);
/// What share of the values lies where, on a logarithmic axis: the subject's as an area, the others' as lines
/// (K Fig. 5).
[[nodiscard]] std::string drawing(const DistributionPayload& distribution);
/// A bar per entry where they are estimates, with its interval.
[[nodiscard]] std::string drawing(const RankedPayload& ranked);
/// A cell per pair, the darker the more (K Fig. 10); the columns and rows with most of it are named.
[[nodiscard]] std::string drawing(const GridPayload& grid);
[[nodiscard]] inline std::string drawing(const TablePayload& /*table*/) { return ""; }
[[nodiscard]] inline std::string drawing(const LinesPayload& /*lines*/) { return ""; }

}  // namespace laggard::report
