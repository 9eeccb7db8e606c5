#include "cmd/prometheus.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "archive/prune.h"
#include "archive/reader.h"
#include "base/text.h"
#include "cmd/recording_folder.h"

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

namespace {

/// Prometheus and its kin keep milliseconds.
constexpr Duration kTick = std::chrono::milliseconds(1);

std::optional<WallTime> last_sample(const std::filesystem::path& recording) {
  const std::vector<std::filesystem::path> paths{recording};
  const auto reader = archive::Reader::open(paths);
  if (!reader) return std::nullopt;
  const Result<Inventory> inventory = (*reader)->inventory();
  if (!inventory) return std::nullopt;
  std::optional<WallTime> last;
  for (const DeviceInfo& device : inventory->devices)
    last = std::max(last.value_or(device.last), device.last);
  return last;
}

/// Passes notices on, each once: every fetch has the same.
class NoticesOnce final : public collect::ImportObserver {
 public:
  NoticesOnce(std::set<std::string>& told, const PrometheusFeed::Note& note) : told_(told), note_(note) {}
  void progress(const collect::ImportState& /*state*/) override {}
  void notice(const std::string& sentence) override {
    if (told_.insert(sentence).second) note_(sentence);
  }

 private:
  std::set<std::string>& told_;
  const PrometheusFeed::Note& note_;
};

}  // namespace

PrometheusFeed::PrometheusFeed(Options options, PrometheusServer server, collect::SignalClock& clock,
                               Note note)
    : options_(std::move(options)), server_(std::move(server)), clock_(clock), note_(std::move(note)) {}

Result<std::unique_ptr<PrometheusFeed>> PrometheusFeed::open(Options options, collect::SignalClock& clock,
                                                             Note note) {
  if (Status usable = check_recording_folder(options.recording); !usable) return forward(usable);
  Result<PrometheusServer> server = PrometheusServer::connect(options.server, clock);
  if (!server) return forward(server);
  std::unique_ptr<PrometheusFeed> feed(
      new PrometheusFeed(std::move(options), std::move(*server), clock, std::move(note)));
  archive::WriterOptions writer;
  // A fetch that failed half way is made again whole.
  writer.existing = archive::Existing::kSkipEqual;
  writer.say = feed->note_;
  auto opened = archive::Writer::open(feed->options_.recording, writer, clock);
  if (!opened) return forward(opened);
  feed->writer_ = std::move(*opened);
  // Hosts may have been written up to different times when a watch before this one was killed.
  constexpr Duration kOverlap = std::chrono::minutes(5);
  const WallTime earliest = clock.wall() - feed->options_.reach_back;
  const std::optional<WallTime> last = last_sample(feed->options_.recording);
  feed->fetched_ = std::max(last ? *last - kOverlap : earliest, earliest) - kTick;
  return feed;
}

Status PrometheusFeed::fetch() {
  prune_when_due();
  const WallTime from = fetched_ + kTick;
  const WallTime to = floor_to(clock_.wall() - options_.lag, kTick);
  if (to < from) return {};
  NoticesOnce notices(told_, note_);
  const auto fetched = server_.fetch(from, to, *writer_, notices);
  const Status flushed = writer_->flush();
  if (!flushed) return stop_or_note(flushed.error());
  if (!fetched) return clock_.asked_to_stop() ? Status{} : stop_or_note(fetched.error());
  fetched_ = to;
  failing_.clear();
  return {};
}

/// What may pass is noted when it is not what was noted last, and the same is fetched again.
Status PrometheusFeed::stop_or_note(const Error& error) {
  const bool passes = error.code == ErrorCode::kNoSpace || error.code == ErrorCode::kUnavailable ||
                      error.code == ErrorCode::kTemporary || error.code == ErrorCode::kBadInput;
  if (!passes) return tl::unexpected<Error>(error);
  if (failing_ != error.what) note_(error.message());
  failing_ = error.what;
  return {};
}

Status PrometheusFeed::close() { return writer_->close(); }

void PrometheusFeed::prune_when_due() {
  constexpr Duration kEvery = std::chrono::hours(1);
  if (!options_.keep || (pruned_ && clock_.mono() - *pruned_ < kEvery)) return;
  pruned_ = clock_.mono();
  const auto pruned = archive::prune(options_.recording,
                                     {.host = {}, .keep_age = options_.keep, .max_bytes = {}}, clock_.wall());
  if (!pruned) note_(pruned.error().message());
}

}  // namespace laggard::cmd
