#pragma once

#include <memory>
#include <string_view>

#include "base/error.h"
#include "model/metric.h"
#include "model/observation_source.h"
#include "model/series_source.h"

namespace laggard::cmd {

/// Whether a metric, or a counter of this name, follows from events and not from what was recorded.
[[nodiscard]] bool is_derived(const MetricSpec& metric, const Inventory& inventory);
[[nodiscard]] bool is_derived(std::string_view counter, const Inventory& inventory);

/// The samples that follow from a recording's events, as a diagnosis without a system file counts them.
[[nodiscard]] Result<std::unique_ptr<SeriesSource>> derived_series(ObservationSource& source,
                                                                   const ReadRequest& request);

}  // namespace laggard::cmd
