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

/// A statement of F §11.2, and the result of the same comparison here.
struct SweepClaim {
  std::string statement;  ///< F's, with its figures.
  std::string ours;
  bool holds = false;
};

/// All of the section's statements whose settings are among the rows. Each statement defines what counts as
/// "comparable" or as holding; random differences are not distinguished from others.
[[nodiscard]] std::vector<SweepClaim> check_claims(const std::vector<SweepRow>& rows);

}  // namespace laggard::lab
