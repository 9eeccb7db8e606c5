#include "detect/peer/skew/host_loads.h"

#include <cmath>

#include "base/missing.h"

namespace laggard::detect {

void HostLoads::begin_run(const CellRuns::Run& run) {
  if (begun_) return;
  begun_ = true;
  loads_.assign(static_cast<std::size_t>(run.end - run.begin) * circles_.row(), kMissing);
}

void HostLoads::observe(std::size_t group, const MetricSpec& metric, const CellRuns::Run& run,
                        std::span<const double> rows) {
  const auto channel = load_channel(metric);
  const auto& place = circles_.places[group];
  if (!place || !channel) return;
  begin_run(run);
  const std::size_t members = place->hosts.size();
  const std::size_t first =
      circles_.first_of(place->circle) + *channel * circles_.circles[place->circle].size();
  const std::size_t width = circles_.row();
  for (std::size_t k = 0; k * members < rows.size(); ++k) {
    double* loads = loads_.data() + k * width + first;
    const double* row = rows.data() + k * members;
    for (std::size_t i = 0; i < members; ++i) {
      if (std::isnan(row[i])) continue;
      double& load = loads[place->hosts[i]];
      load = std::isnan(load) ? row[i] : load + row[i];
    }
  }
}

void HostLoads::end_run(const CellRuns::Run& run) {
  begin_run(run);
  sink_(run, loads_);
  begun_ = false;
}

}  // namespace laggard::detect
