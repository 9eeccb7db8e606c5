#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "detect/peer/judge/judged_run.h"
#include "detect/peer/judge/parameters.h"
#include "detect/peer/judge/service_times.h"
#include "model/grouping.h"
#include "model/metric.h"

namespace laggard::detect {

/// Finds out who is saturated in recordings without faults. S does not say how. **Ours**: who takes more than
/// twice the median of all, and longer than it by more than the noise floor, in more than half of the seconds
/// in which it was seen; and nobody, where fewer than three members would be left to make a median of.
class SaturationWatch final : public CellObserver {
 public:
  /// Both outlive this.
  SaturationWatch(const Grouping& grouping, const Parameters& parameters)
      : grouping_(grouping), parameters_(parameters) {}

  void observe(std::size_t group, const MetricSpec& metric, const CellRuns::Run& run,
               std::span<const double> rows) override;
  void end_run(const CellRuns::Run& run) override { static_cast<void>(run); }

  /// Of the metrics and groups in which somebody is.
  [[nodiscard]] TrainedTimes saturated() const;

 private:
  struct Seconds {
    std::uint64_t seen = 0;
    std::uint64_t above = 0;
  };

  const Grouping& grouping_;
  const Parameters& parameters_;
  std::map<std::pair<std::string, std::size_t>, std::vector<Seconds>> seconds_;  ///< By metric and group.
};

}  // namespace laggard::detect
