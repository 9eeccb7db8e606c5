#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/cmd/method.h"
#include "lab/cmd/results.h"
#include "lab/score/tally.h"

namespace laggard::lab {

/// F §11.2's sensitivity study: the paper's method with one constant at a time varied over F's range; the
/// first has F's own setting.
[[nodiscard]] std::vector<MethodSpec> sensitivity_sweep();

/// The constants that a sweep varies; its methods are named after them: "k 5".
namespace swept {
inline constexpr std::string_view kSmoothing = "moving average";
inline constexpr std::string_view kFilter = "k";
inline constexpr std::string_view kSize = "WinSize";
inline constexpr std::string_view kShift = "WinShift";
inline constexpr std::string_view kFactor = "threshold factor";
inline constexpr std::string_view kCongestion = "cwnd span";
}  // namespace swept

/// The name of the method with that constant at that value, which is F's own method when the value is F's.
[[nodiscard]] std::string setting_name(std::string_view what, double value);

/// One setting of a sweep over all clusters together, as in F §11.2.
struct SweepRow {
  std::string name;
  Rates rates;
};
[[nodiscard]] std::vector<SweepRow> over_all_clusters(const std::vector<ClusterResults>& results);

/// A figure of F §11.2, and the same here.
struct SweepFigure {
  std::string setting;    ///< `k 3, 5, 7 less 1`: F says it of all of these, of the difference from k 1.
  std::string_view rate;  ///< ITP, IFP, DTP or DFP.
  Interval paper;      ///< Per cent, or points of a difference; one end is infinite where F names no figure.
  Interval ours;       ///< Of all these settings the least and the most,
  Interval interval;   ///< and what their 95 % intervals span.
  bool holds = false;  ///< F's figure, as rounded, is within the interval of each of them.
};

/// All figures of the section whose settings are among the rows.
[[nodiscard]] std::vector<SweepFigure> compare_with_paper(const std::vector<SweepRow>& rows);

}  // namespace laggard::lab
