#pragma once

#include <cstddef>
#include <optional>

#include "detect/peer/judge/anomalies.h"
#include "model/finding.h"

namespace laggard::detect {

/// What is wrong, from the detector, the metric and what the group's members did over the windows of the
/// anomaly so far: one that did more at first and less later is called by what it did on the whole.
/// \param own    its level in the metric; nothing where it is not known.
/// \param peers  the median of the others, in the same unit.
[[nodiscard]] Symptom symptom_of(const Anomaly& anomaly, std::optional<double> own,
                                 std::optional<double> peers);

/// The same, where only the sums of the anomaly are at hand.
/// \param column  the metric's among the columns of the levels; nothing where it has none.
[[nodiscard]] Symptom symptom_of(const Anomaly& anomaly, std::optional<std::size_t> column);

}  // namespace laggard::detect
