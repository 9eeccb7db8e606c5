#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "derive/metric_stream.h"
#include "detect/peer/judge/group_judge.h"
#include "engine/pipeline_options.h"
#include "model/grouping.h"
#include "model/series_source.h"

namespace laggard::engine {

/// The metrics that a group of this kind can be compared in, given the counters that were recorded, and those
/// that the judge needs beside them (they tell reads from writes, and busy from idle).
[[nodiscard]] std::vector<detect::GroupJudge::Column> columns_for(GroupKind kind,
                                                                  const PipelineOptions& options);

/// Whether windows are of samples of up to 5 s, as in `lab` and `quick`.
[[nodiscard]] bool is_fine(const detect::WindowSpec& windows);

/// Whether windows are worth busy times: yes with samples of up to 5 s, as in `lab` and `quick`. For those of
/// production they are a fifth more to read, and averages over minutes of light load say little of
/// saturation. No where they excuse nobody (Parameters::least_slowdown).
[[nodiscard]] bool wants_busy_times(const detect::WindowSpec& windows, const detect::Parameters& parameters);

/// From how many cells before the one at which it is complete a window's samples may come, smoothing
/// included: the most of all groups and metrics; 0 without any.
[[nodiscard]] std::int64_t history_cells(const Grouping& grouping, const PipelineOptions& options);

/// One metric over one group, for a MetricStream.
[[nodiscard]] derive::TrackSpec make_track(const Grouping& grouping, std::size_t group,
                                           const MetricSpec& metric);

/// Routes recorded series to the members of the groups. `grouping` must outlive it.
[[nodiscard]] derive::Router make_router(const Grouping& grouping);

/// The counters that the metrics of the groups are computed from, by name: what need not be read for them is
/// not among them. Empty when there is none.
[[nodiscard]] std::vector<std::string> counters_to_read(const Grouping& grouping,
                                                        const PipelineOptions& options,
                                                        const Inventory& inventory);

/// The names of all counters in an inventory.
[[nodiscard]] std::set<std::string> counters_of(const Inventory& inventory);

}  // namespace laggard::engine
