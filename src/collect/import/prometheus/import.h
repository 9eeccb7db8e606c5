#pragma once

#include <optional>
#include <string>

#include "base/time.h"
#include "collect/import/import.h"
#include "model/series_source.h"
#include "net/http.h"

namespace laggard::collect {

struct PrometheusOptions {
  WallTime from;  ///< Inclusive.
  WallTime to;    ///< Inclusive.
  std::optional<Duration>
      step;           ///< Ask for a value every so often instead of the samples as they were taken.
  std::string match;  ///< More matchers: `job="node",cluster="a"`, with braces or without.
  std::string host_label = "instance";  ///< A port at its end is left out where the host is still unique.
  std::string device_label = "device";
  std::string server;  ///< What errors call the server.
};

/// Imports node_exporter's disk and network counters, and the targets of Lustre's exporters, from anything
/// that answers Prometheus' HTTP API.
///
/// Asks with an instant query over a range selector, which gives the samples with their own times
/// (docs/formats/ prometheus.md), for one stretch of time after the other; the stretches grow and shrink so
/// that an answer stays near `kSamplesWanted` and within what the server allows. A server that knows no range
/// selectors is asked with range queries every 15 s, with notice.
///
/// On failure what was fetched has been handed to the sink; the error says from where on to try again.
inline constexpr std::uint64_t kSamplesWanted = 400'000;
[[nodiscard]] Result<ImportResult> import_prometheus(net::HttpTransport& transport,
                                                     const PrometheusOptions& options, TableSink& sink,
                                                     ImportObserver& observer);

}  // namespace laggard::collect
