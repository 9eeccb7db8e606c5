#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "detect/peer/judge/judged_run.h"
#include "model/metric.h"

namespace laggard::detect {

/// What a group that is the second of double peer groups says about its members: a member of both is
/// anomalous only when it is so in both (T §6.2.3). Kept for the windows of a run of cells, so that groups
/// can be followed one after the other instead of cell by cell.
class SecondOpinions {
 public:
  using Flags = std::vector<std::uint8_t>;  ///< Per member: anomalous.

  void add(const JudgedWindow& judged, const MetricSpec* metric, const std::string& detector, Flags flags);

  /// Of the same window, as far as it was known at the cell at which `judged` was complete; null: nothing
  /// was.
  [[nodiscard]] const Flags* about(const JudgedWindow& judged, const MetricSpec* metric,
                                   const std::string& detector) const;

  /// The run is over: only its last window can still be asked for.
  void end_run();

 private:
  struct Opinion {
    std::int64_t cell = 0;
    std::int64_t window = 0;
    std::map<std::pair<const MetricSpec*, std::string>, Flags> flags;
  };
  std::vector<Opinion> opinions_;  ///< By cell.
};

}  // namespace laggard::detect
