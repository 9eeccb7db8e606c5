#include "cmd/prometheus_server.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"

namespace laggard::cmd {

void add_series_options(CLI::App& command, PrometheusServerOptions& options) {
  command.add_option("--match", options.match, "Only series with these labels: job=\"node\"")
      ->type_name("SELECTOR");
  command
      .add_option("--label", options.labels,
                  "Which label names the host (host=instance) or device (device=device)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("X=LABEL");
}

Result<PrometheusServer> PrometheusServer::connect(const PrometheusServerOptions& options,
                                                   collect::SignalClock& signals) {
  PrometheusServer server;
  Result<net::ServerUrl> url = server_url(options.server);
  if (!url) return forward(url);
  server.options_.server = url->shown();
  server.options_.match = options.match;
  if (!options.step.empty()) {
    const Result<Duration> step = parse_duration(options.step);
    if (!step || *step < std::chrono::milliseconds(1)) {
      return fail(ErrorCode::kBadUse, "--step", fmt::format("`{}` is no duration like 15s", options.step));
    }
    server.options_.step = *step;
  }
  for (const std::string& label : options.labels) {
    if (label.starts_with("host=") && label.size() > 5) {
      server.options_.host_label = label.substr(5);
    } else if (label.starts_with("device=") && label.size() > 7) {
      server.options_.device_label = label.substr(7);
    } else {
      return fail(ErrorCode::kBadUse, "--label",
                  fmt::format("`{}` is neither host=LABEL nor device=LABEL", label));
    }
  }
  net::HttpOptions http;
  http.stopped = [&signals] { return signals.asked_to_stop(); };
  Result<std::unique_ptr<net::HttpTransport>> transport =
      connect_server(options.server, *url, std::move(http));
  if (!transport) return forward(transport);
  server.transport_ = std::move(*transport);
  return server;
}

Result<collect::ImportResult> PrometheusServer::fetch(WallTime from, WallTime to, TableSink& sink,
                                                      collect::ImportObserver& observer) {
  options_.from = from;
  options_.to = to;
  return collect::import_prometheus(*transport_, options_, sink, observer);
}

}  // namespace laggard::cmd
