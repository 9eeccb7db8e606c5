#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "archive/watched.h"
#include "archive/writer.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/record_display.h"
#include "cmd/record_events.h"
#include "cmd/record_options.h"
#include "cmd/recording_folder.h"
#include "cmd/shared_options.h"
#include "collect/record/clocks.h"
#include "collect/record/metrics_samplers.h"
#include "collect/record/recorder.h"

namespace laggard::cmd {

namespace {

/// As the command line has it.
struct RecordMetricsOptions : RecordOptions {
  RecordMetricsOptions() { flush = "10s"; }
  std::string interval = "1s";
  std::vector<std::string> disks;
  std::vector<std::string> nets;
  std::vector<std::uint16_t> tcp_ports;
  std::vector<std::string> tcp_peers;
  bool no_tcp = false;
  bool partitions = false;
};

Result<collect::RecorderOptions> recorder_options(const RecordMetricsOptions& options) {
  collect::RecorderOptions result;
  auto interval =
      duration_option("--interval", options.interval, collect::kShortestInterval, collect::kLongestInterval);
  if (!interval) return forward(interval);
  result.interval = *interval;
  auto times = record_times(options);
  if (!times) return forward(times);
  result.flush = times->flush;
  result.duration = times->duration;
  return result;
}

Result<collect::MetricsOptions> metrics_options(const RecordMetricsOptions& options) {
  if (options.no_tcp && !(options.tcp_ports.empty() && options.tcp_peers.empty())) {
    return fail(ErrorCode::kBadUse, "--no-tcp", "contradicts --tcp-port and --tcp-peer");
  }
  collect::MetricsOptions result;
  result.root = options.root;
  result.host = options.host;
  result.disks = {options.disks, options.partitions};
  result.net_globs = options.nets;
  result.tcp = !options.no_tcp;
  result.sockets.ports = options.tcp_ports;
  for (const std::string& peer : options.tcp_peers) {
    auto prefix = collect::IpPrefix::parse(peer);
    if (!prefix) return fail(ErrorCode::kBadUse, "--tcp-peer", prefix.error().message());
    result.sockets.peers.push_back(*prefix);
  }
  return result;
}

Status record_metrics(const RecordMetricsOptions& options) {
  if (Status usable = check_recording_folder(options.out); !usable) return usable;
  auto recorder_settings = recorder_options(options);
  if (!recorder_settings) return forward(recorder_settings);
  auto metrics = metrics_options(options);
  if (!metrics) return forward(metrics);
  auto retention = retention_of(options.keep, options.max_size);
  if (!retention) return forward(retention);
  auto clock = collect::SignalClock::make();
  if (!clock) return forward(clock);

  RecordDisplay display(options.out);
  collect::Notices notices([&](const std::string& sentence) { display.say(sentence); });
  auto opened = collect::open_metrics(std::move(*metrics), notices);
  if (!opened) return forward(opened);
  recorder_settings->boot = opened->boot;

  archive::WriterOptions writing;
  writing.flush_interval = Duration::zero();  // The outbox says when: one transaction for all kinds.
  writing.say = [&](const std::string& sentence) { display.say(sentence); };
  auto writer = archive::Writer::open(options.out, writing, *clock);
  if (!writer) return forward(writer);
  if (Status ours = (*writer)->claim(opened->host); !ours) return ours;
  recorder_settings->host = opened->host;
  recorder_settings->is_watched = [&] { return archive::is_watched(options.out, clock->wall()); };
  retention->host = opened->host;
  Retainer retainer(options.out, std::move(*retention), *clock);
  if (Status pruned = retainer.prune_now(); !pruned) return pruned;
  collect::Outbox::Options delivery;
  delivery.afterwards = [&] {
    Status flushed = (*writer)->flush();
    retainer.prune_when_due();  // On a full disk too: it may make the room that is lacking.
    display.measure();
    return flushed;
  };
  collect::Outbox outbox(**writer, delivery);
  collect::Recorder recorder(*recorder_settings, *clock, outbox, std::move(opened->samplers));
  Status recorded = recorder.run([&] { return clock->stopped(); },
                                 [&](const collect::RecordProgress& progress) { display.show(progress); });
  const Status closed = (*writer)->close();
  display.finish(recorder.progress(), (*writer)->stats().samples_lost);
  return recorded ? closed : recorded;
}

void add_record_metrics(CLI::App& record, Context& context) {
  auto options = std::make_shared<RecordMetricsOptions>();
  CLI::App* command =
      record.add_subcommand("metrics", "Sample disks, network interfaces and TCP connections");
  add_record_options(*command, *options);
  command->add_option("--interval", options->interval, "Between two samples, 100ms or more")
      ->type_name("TIME")
      ->capture_default_str();
  const auto list = [&](const char* name, auto& values, const char* help, const char* type) {
    command->add_option(name, values, help)->type_name(type)->delimiter(',')->allow_extra_args(false);
  };
  list("--disk", options->disks, "Only these disks, by kernel or mapper name: 'sd*,mpath*'", "GLOB,...");
  command->add_flag("--partitions", options->partitions, "Partitions too");
  list("--net", options->nets, "Only these interfaces; the default is all but lo", "GLOB,...");
  list("--tcp-port", options->tcp_ports, "Only connections with one of these ports at either end",
       "PORT,...");
  list("--tcp-peer", options->tcp_peers, "Only connections to these; loopback only if named: 127.0.0.0/8",
       "ADDR[/BITS],...");
  command->add_flag("--no-tcp", options->no_tcp, "No connections");
  command->footer(
      "Example:\n  laggard record metrics --out rec --duration 10m --tcp-port 2049\n"
      "Ends at SIGTERM or Ctrl-C with everything written.");
  command->callback([options, &context] {
    const Status done = record_metrics(*options);
    if (!done) context.status = report_error(done.error());
  });
}

}  // namespace

void add_record_command(CLI::App& app, Context& context) {
  CLI::App* record = app.add_subcommand("record", "Record what this machine does");
  record->require_subcommand(1);
  add_record_metrics(*record, context);
  add_record_events(*record, context);
}

}  // namespace laggard::cmd
