#pragma once

#include <optional>
#include <string>

#include "base/time.h"
#include "collect/import/import.h"
#include "model/series_source.h"
#include "net/http.h"

namespace laggard::collect {

struct PrometheusOptions {
  WallTime from;                 ///< Inclusive.
  WallTime to;                   ///< Inclusive.
  std::optional<Duration> step;  ///< Ask for values at this interval instead of the raw samples.
  std::string match;             ///< Further matchers: `job="node",cluster="a"`, with or without braces.
  std::string host_label = "instance";  ///< A port at its end is dropped where the host stays unique.
  std::string device_label = "device";
  std::string server;  ///< Names the server in errors.
};

/// How many samples one answer should have.
inline constexpr std::uint64_t kSamplesWanted = 400'000;

/// Imports node_exporter's disk and network counters, and the targets of Lustre's exporters, from any server
/// with Prometheus' HTTP API.
///
/// Uses an instant query over a range selector, which returns the samples with their original times
/// (docs/formats/prometheus.md), for one stretch of time after another; the stretches grow and shrink so that
/// an answer stays near `kSamplesWanted` and within the server's limits. A server that does not support range
/// selectors is asked with range queries every 15 s instead, with a notice.
///
/// On failure, what was fetched has gone to the sink; the error says where to resume.
[[nodiscard]] Result<ImportResult> import_prometheus(net::HttpTransport& transport,
                                                     const PrometheusOptions& options, TableSink& sink,
                                                     ImportObserver& observer);

}  // namespace laggard::collect
