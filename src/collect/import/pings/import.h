#pragma once

#include <filesystem>
#include <span>

#include "base/error.h"
#include "collect/import/import.h"
#include "collect/import/pings/probe_rows.h"
#include "collect/import/unpack.h"
#include "model/observation_source.h"

namespace laggard::collect {

/// Imports tables of probes (ProbeRows) as events of the kind `ping`, a table per client: what `laggard
/// record pings` would have recorded, but for the latencies per minute. Files may be packed and archives of
/// many. In the result `values` are probes.
///
/// A bad file is reported in the result, as far as its bad line it is imported, and the next one is read.
/// Fails as a whole only when the sink fails.
[[nodiscard]] Result<ImportResult> import_pings(std::span<const std::filesystem::path> files,
                                                const ProbeDefaults& defaults, ObservationSink& sink,
                                                ImportObserver& observer, const UnpackLimits& limits = {});

}  // namespace laggard::collect
