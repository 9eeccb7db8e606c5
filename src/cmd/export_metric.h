#pragma once

#include <functional>
#include <string>

#include "base/error.h"
#include "base/time.h"
#include "model/metric.h"
#include "model/series_source.h"

namespace laggard::cmd {

/// What of a metric to export.
struct MetricExport {
  const MetricSpec* metric = nullptr;
  ReadRequest request;
  std::string device_glob = "*";
  Duration step{};  ///< Of the grid; zero: as recorded.
};

/// One line of the long form: time, host, kind, device, metric, value. The first that fails is the last.
using ExportLine =
    std::function<Status(WallTime time, const std::string& host, const std::string& device, double value)>;

/// Computes the metric of every device on the common grid, as the comparison sees it before smoothing.
/// Missing cells give no line. Fails for metrics that belong to several devices at once (retransmits).
[[nodiscard]] Status export_metric(SeriesSource& source, const MetricExport& what, const ExportLine& line);

}  // namespace laggard::cmd
