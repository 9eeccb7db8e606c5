#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "model/incident.h"
#include "model/outcome.h"

namespace laggard::report {

/// What a watch has to say to Prometheus.
struct WatchFigures {
  std::span<const Incident> open;          ///< One series each, so their ids differ; must outlive this.
  std::array<std::uint64_t, 8> changes{};  ///< So many so far, by ChangeKind.
  /// Up to when samples are complete, in the time of the data; nothing before the first.
  std::optional<WallTime> complete_until{};
  Outcome outcome = Outcome::kNotJudged;
  std::size_t judged = 0;      ///< Components that are compared with peers now, ...
  std::size_t components = 0;  ///< ... of so many.
};

/// The figures in Prometheus' text format 0.0.4, for a `.prom` file in the folder of node_exporter's textfile
/// collector. That collector drops a whole file that has one line it cannot read, so names are escaped and
/// made UTF-8. Without `complete_until` its metric is left out: no time is not the year 1970.
[[nodiscard]] std::string to_textfile(const WatchFigures& figures);

}  // namespace laggard::report
