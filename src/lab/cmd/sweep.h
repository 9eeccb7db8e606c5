#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/cmd/method.h"
#include "lab/cmd/results.h"
#include "lab/score/tally.h"

namespace laggard::lab {

/// F §11.2's sensitivity study: the paper's method with one constant at a time moved through the range that F
/// tries; the first is F's own setting.
[[nodiscard]] std::vector<MethodSpec> sensitivity_sweep();

/// What a sweep moves, as its methods are called: "k 5".
namespace swept {
inline constexpr std::string_view kSmoothing = "moving average";
inline constexpr std::string_view kFilter = "k";
inline constexpr std::string_view kSize = "WinSize";
inline constexpr std::string_view kShift = "WinShift";
inline constexpr std::string_view kFactor = "threshold factor";
inline constexpr std::string_view kCongestion = "cwnd span";
}  // namespace swept

/// Name of the method with that constant at that value; that of F's own method where the value is F's.
[[nodiscard]] std::string setting_name(std::string_view what, double value);

/// One setting of a sweep over all clusters together, as F §11.2 gives its figures.
struct SweepRow {
  std::string name;
  Rates rates;
};
[[nodiscard]] std::vector<SweepRow> over_all_clusters(const std::vector<ClusterResults>& results);

/// A statement of F §11.2 and what the same comparison gives here.
struct SweepClaim {
  std::string statement;  ///< F's, with its figures.
  std::string ours;
  bool holds = false;
};

/// All of the section's statements whose settings are among the rows. What counts as F's "comparable" and
/// "hold" is said in each statement; differences of chance are not told from others.
[[nodiscard]] std::vector<SweepClaim> check_claims(const std::vector<SweepRow>& rows);

}  // namespace laggard::lab
