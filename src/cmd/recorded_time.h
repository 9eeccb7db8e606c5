#pragma once

#include <vector>

#include "base/time.h"
#include "model/series_source.h"

namespace laggard::cmd {

/// What of a recording a request covers in time. None of it has to do with how the samples are read: presets
/// are chosen by how long was recorded, progress is shown by where in the span the reader stands, and gaps
/// are listed where they were looked at.

/// From the first sample to the last that is asked for; from >= to when there is nothing between them.
[[nodiscard]] TimeSpan recorded_span(const Inventory& inventory, const ReadRequest& request);

/// For how long any host was recorded in that span: the union over hosts of the time between their first and
/// last samples without their gaps. Six recordings of five minutes are half an hour, whatever lies between.
[[nodiscard]] Duration recorded_time(const Inventory& inventory, const ReadRequest& request);

/// The steps by which a clock was set back over time that the request covers: it was recorded twice.
[[nodiscard]] std::vector<ClockStep> steps_back_within(const Inventory& inventory,
                                                       const ReadRequest& request);

/// The gaps that the request touches, cut to it.
[[nodiscard]] std::vector<Gap> gaps_within(const Inventory& inventory, const ReadRequest& request);

}  // namespace laggard::cmd
