#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "detect/peer/judge/anomalies.h"
#include "detect/peer/judge/group_judge.h"
#include "model/finding.h"
#include "model/grouping.h"

namespace laggard::detect {

/// What the member did over the windows of the anomaly so far, and the median of the others, in the metric's
/// unit; missing where nothing is known. The scatter is not looked for.
/// \param column  the metric's among the columns of the levels.
[[nodiscard]] ComparedLevel level_of(const Anomaly& anomaly, std::size_t column);

/// What is wrong, from the detector, the metric and what the group's members did over the windows of the
/// anomaly so far: one that did more at first and less later is called by what it did on the whole.
/// \param own    its level in the metric; nothing where it is not known.
/// \param peers  the median of the others, in the same unit.
[[nodiscard]] Symptom symptom_of(const Anomaly& anomaly, std::optional<double> own,
                                 std::optional<double> peers);

/// The same, where only the sums of the anomaly are at hand.
/// \param column  the metric's among the columns of the levels; nothing where it has none.
[[nodiscard]] Symptom symptom_of(const Anomaly& anomaly, std::optional<std::size_t> column);

/// The anomalies of one group, and what is needed to read them.
struct GroupAnomalies {
  std::vector<GroupJudge::Column> columns;
  std::vector<const Anomaly*> anomalies;
  std::vector<std::uint8_t> open;  ///< Per anomaly: still going on at the end of the recording.
  std::span<const std::size_t> neighbourhoods{};  ///< Of the members, see LevelBook.
};

/// What peer comparison has found: a finding for every anomaly, group by group. \param groups  in the order
/// of the grouping's.
///
/// Congestion windows alone are withheld where retransmissions are recorded: they wander on healthy servers.
///
/// A component of which nothing was recorded in most of the anomalous windows while its peers were there is
/// *lost*; one that showed no activity while they worked is *silent*.
///
/// Facts: what the component moved over its storage and network, as far as the group's metrics have it; how
/// many windows were anomalous; for latencies how they alternate with normal ones, and how much longer the
/// controller's other LUNs wait than all that it does not serve; the standby wait.
[[nodiscard]] std::vector<Finding> peer_findings(const Grouping& grouping,
                                                 std::span<const GroupAnomalies> groups);

}  // namespace laggard::detect
