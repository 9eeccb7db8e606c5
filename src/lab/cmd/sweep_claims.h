#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/cmd/results.h"
#include "lab/score/tally.h"

namespace laggard::lab {

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
