#pragma once

#include <optional>
#include <string>
#include <vector>

#include "detect/peer/compare/comparer.h"
#include "detect/peer/compare/thresholds.h"
#include "detect/peer/judge/levels.h"
#include "detect/peer/judge/parameters.h"
#include "model/metric.h"

namespace laggard::detect {

/// How a thresholds file names a metric under a regime, under all loads or one: `await (reads)`,
/// `await (reads, over 1.05 MB/s)`; without a regime, `rd_sec`.
[[nodiscard]] std::string track_name(const MetricSpec& metric, Regime regime,
                                     std::optional<Load> load = std::nullopt);

/// The thresholds in force: trained ones where there are any, the policy's own elsewhere.
///
/// ours:   T = T_tr + max(0, T_self - T_tr) * 16 / (16 + windows), with T_tr = max(the group's largest
///         trained threshold, least_threshold). Few windows leave it near the policy's threshold, which is a
///         prior worth 16 windows; many make it the group's own. Pooled over the group: a healthy server is
///         as likely as its neighbours to show tomorrow what they showed today.
///         T_self and least_threshold are positions on the scale of the distance in the window at hand.
///         Where the window's load was trained on and has a smaller T_load:
///         T' = T_load (T / T_load)^(16 / (16 + its windows)). Saturated disks teach what is healthy of
///         saturated disks, and not of the same disks under a hundredth of the load; the two are orders of
///         magnitude apart, hence the power. Never above T, which keeps all that was trained on quiet.
/// Without Policies::pooled_thresholds: the component's own; one without data gets the group's maximum (F
/// §10.1).
class ThresholdBook {
 public:
  ThresholdBook() = default;
  explicit ThresholdBook(Thresholds thresholds) : thresholds_(std::move(thresholds)) {}

  [[nodiscard]] bool trained() const { return !thresholds_.groups.empty(); }
  [[nodiscard]] const Thresholds& thresholds() const { return thresholds_; }

  /// One metric as one detector sees it, under one regime, over one peer group.
  struct Track {
    const std::string& group;
    const MetricSpec& metric;
    Regime regime;
    std::optional<Load> load;
    const std::string& detector;
    const Parameters& parameters;
    Scale scale;
    double independent = 64.0 / 5;  ///< As in ThresholdUse.
  };
  struct Column {
    std::vector<double> values;  ///< One per member.
    bool trained = false;
  };
  [[nodiscard]] Column column(const Track& track, const std::vector<std::string>& members) const;

 private:
  Thresholds thresholds_;
};

}  // namespace laggard::detect
