#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "archive/writer.h"
#include "base/error.h"
#include "base/time.h"
#include "cmd/shared_options.h"
#include "collect/import/prometheus/import.h"
#include "collect/record/clocks.h"
#include "net/http.h"

/// What a Prometheus server has scraped, brought into a recording: once (`import prometheus`), or again and
/// again (`watch --prometheus`).
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

/// Keeps a recording up with what a Prometheus server scrapes, so that a watch can follow it like any other:
/// what was fetched is on disk before it is judged, and a restart goes on where the recording ends.
///
/// A server that is away or refuses is noted once and asked again at the next fetch; nothing is skipped.
class PrometheusFeed {
 public:
  struct Options {
    PrometheusServerOptions server;
    std::filesystem::path recording;
    Duration
        lag{};  ///< Samples are asked for when they are so old: scrapes are stored after they were taken.
    Duration reach_back{};         ///< How far a new recording reaches back.
    std::optional<Duration> keep;  ///< Days that ended longer ago are deleted.
  };
  using Note = std::function<void(const std::string&)>;

  /// Makes the recording if need be. \param clock  outlives this. \param note  told one sentence about what
  /// is left out or fails.
  [[nodiscard]] static Result<std::unique_ptr<PrometheusFeed>> open(Options options,
                                                                    collect::SignalClock& clock, Note note);

  /// Brings what has come since the last fetch into the recording. An error is one that will not pass: the
  /// recording is damaged, or is none.
  [[nodiscard]] Status fetch();
  /// The last: closes the recording.
  [[nodiscard]] Status close();

 private:
  PrometheusFeed(Options options, PrometheusServer server, collect::SignalClock& clock, Note note);
  [[nodiscard]] Status stop_or_note(const Error& error);
  void prune_when_due();

  Options options_;
  PrometheusServer server_;
  collect::SignalClock& clock_;
  Note note_;
  std::unique_ptr<archive::Writer> writer_;
  WallTime fetched_;            ///< Up to and including this.
  std::string failing_;         ///< What was noted last; empty while all is well.
  std::set<std::string> told_;  ///< Notices of imports.
  std::optional<MonoTime> pruned_;
};

}  // namespace laggard::cmd
