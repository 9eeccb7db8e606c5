#include "detect/peer/judge/symptom.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/median_of_others.h"

namespace laggard::detect {

namespace {

/// Nothing was recorded of it in most of the windows, while its peers were: the device is gone.
bool is_gone(const Anomaly& anomaly) {
  if (anomaly.metric->resource != Resource::kStorage) return false;
  double seen = 0;
  double most = 0;
  for (std::size_t c = 0; c < anomaly.levels->columns(); ++c) {
    const std::vector<double>& windows = anomaly.levels->windows(c);
    seen = std::max(seen, windows[anomaly.member]);
    most = std::max(most, *std::ranges::max_element(windows));
  }
  return 2 * seen < most;
}

}  // namespace

Symptom symptom_of(const Anomaly& anomaly, std::optional<double> own, std::optional<double> peers) {
  if (is_gone(anomaly)) return Symptom::kLost;
  if (anomaly.detector == kAbsentDetector) return Symptom::kSilent;
  switch (anomaly.metric->role) {
    case Role::kLatency:
      return Symptom::kSlower;
    case Role::kThroughput:
      return own && peers && *own > *peers ? Symptom::kMore : Symptom::kLess;
    case Role::kCongestion:
      return Symptom::kLess;
    case Role::kRetransmission:
      return Symptom::kError;
  }
  return Symptom::kSlower;
}

Symptom symptom_of(const Anomaly& anomaly, std::optional<std::size_t> column) {
  const bool two_sided = anomaly.metric->role == Role::kThroughput;
  if (!two_sided || !column) return symptom_of(anomaly, std::nullopt, std::nullopt);
  const std::vector<double> levels = anomaly.levels->means(*column);
  const double own = levels[anomaly.member];
  const double peers = stats::MedianOfOthers(levels).without(own);
  if (std::isnan(own) || std::isnan(peers)) return symptom_of(anomaly, std::nullopt, std::nullopt);
  return symptom_of(anomaly, own, peers);
}

}  // namespace laggard::detect
