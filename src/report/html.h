#pragma once

#include <string>
#include <vector>

#include "model/diagnosis.h"
#include "model/plot.h"

namespace laggard::report {

/// The diagnosis as one HTML file that needs nothing else: no network (a content security policy forbids it),
/// no server. The words are in the markup, so that they print and can be read without scripts; the plots are
/// drawn by the script of web/report from data inside the file. Plots longer than a screen is wide are
/// thinned (report/page_data.h). Plots of incidents that `diagnosis` does not have are left out. Every text
/// is escaped.
[[nodiscard]] std::string to_html(const Diagnosis& diagnosis, const Plots& plots);

/// A day that thresholds were, or are to be, trained on.
struct TrainingDay {
  WallTime from;
  WallTime to;
  std::string preset;
  std::string distance;
  std::vector<PeerPlot> plots;     ///< One per group and metric, `sick` empty.
  std::vector<std::string> notes;  ///< One sentence each: what was left out, what looks unusual.
};

/// All peers of every group superimposed, by which a person accepts or refuses the day (T §3.3.1).
[[nodiscard]] std::string training_html(const TrainingDay& day);

}  // namespace laggard::report
