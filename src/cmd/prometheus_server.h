#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "cmd/shared_options.h"
#include "collect/import/prometheus/import.h"
#include "collect/record/clocks.h"
#include "net/http.h"

namespace laggard::cmd {

/// Which series of which server are disks and interfaces, as `import prometheus` and `watch --prometheus`
/// are told.
struct PrometheusServerOptions {
  ServerOptions server{.url = {}, .password_file = {}, .token_file = {}, .timeout = "5m"};
  std::string step;
  std::string match;
  std::vector<std::string> labels;  ///< host=LABEL, device=LABEL
};

/// `--match` and `--label`. The URL, the options of the server and `--step` are for the command to add.
void add_series_options(CLI::App& command, PrometheusServerOptions& options);

/// A server with Prometheus' HTTP API that samples are fetched from.
class PrometheusServer {
 public:
  /// Reads the options and prepares the connection; nothing is asked yet. \param signals  end a request when
  /// the program is asked to stop; they outlive this.
  [[nodiscard]] static Result<PrometheusServer> connect(const PrometheusServerOptions& options,
                                                        collect::SignalClock& signals);

  /// Everything from `from` to `to`, both inclusive. Errors as those of collect::import_prometheus.
  [[nodiscard]] Result<collect::ImportResult> fetch(WallTime from, WallTime to, TableSink& sink,
                                                    collect::ImportObserver& observer);

  /// The URL without credentials.
  [[nodiscard]] const std::string& name() const { return options_.server; }

 private:
  PrometheusServer() = default;

  collect::PrometheusOptions options_;
  std::unique_ptr<net::HttpTransport> transport_;
};

}  // namespace laggard::cmd
