#include "cmd/record_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "archive/watched.h"
#include "archive/writer.h"
#include "base/file.h"
#include "base/terminal_text.h"
#include "base/text.h"
#include "base/time.h"
#include "cmd/commands.h"
#include "cmd/counted_calls.h"
#include "cmd/progress.h"
#include "cmd/recording_folder.h"
#include "cmd/shared_options.h"
#include "collect/record/clocks.h"
#include "collect/record/metrics_samplers.h"
#include "collect/record/outbox.h"
#include "collect/record/recorder.h"
#include "topology/system_file.h"

namespace laggard::cmd {

namespace {

/// `--out`, `--duration`, `--flush`, `--keep`, `--max-size`, `--root` and `--host`.
void add_record_options(CLI::App& command, RecordOptions& options) {
  command.add_option("--out", options.out, "The recording, a folder; is continued if it is there")
      ->required()
      ->type_name("REC");
  const auto text = [&](const char* name, std::string& value, const char* help, const char* type) {
    command.add_option(name, value, help)->type_name(type)->capture_default_str();
  };
  text("--duration", options.duration, "Stop after this; else at SIGTERM or Ctrl-C", "TIME");
  text("--flush", options.flush, "What a crash may lose", "TIME");
  text("--keep", options.keep, "Delete days of this host that ended longer ago, such as 30d", "TIME");
  text("--max-size", options.max_size, "Delete the oldest days of this host above this, such as 10G", "SIZE");
  text("--root", options.root, "Where /proc, /sys and /dev are, such as /host in a container", "DIR");
  text("--host", options.host, "Name in the recording; else the machine's own", "NAME");
}

struct RecordTimes {
  Duration flush{};
  std::optional<Duration> duration;  ///< Without it, until stopped.
};

/// `--flush` and `--duration`, from 100 ms to an hour and ten years.
Result<RecordTimes> record_times(const RecordOptions& options) {
  using std::chrono::hours;
  RecordTimes times;
  auto flush = duration_option("--flush", options.flush, collect::kShortestInterval, hours(1));
  if (!flush) return forward(flush);
  times.flush = *flush;
  if (options.duration.empty()) return times;
  auto duration =
      duration_option("--duration", options.duration, collect::kShortestInterval, hours(24 * 366 * 10));
  if (!duration) return forward(duration);
  times.duration = *duration;
  return times;
}

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
  std::vector<std::string> daemons;
  std::vector<std::string> cgroups;
  bool no_host = false;
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
  if (options.no_host && !(options.daemons.empty() && options.cgroups.empty())) {
    return fail(ErrorCode::kBadUse, "--no-host", "contradicts --daemon and --cgroup");
  }
  result.machine = !options.no_host;
  result.daemons.globs = options.daemons;
  for (const std::string& text : options.cgroups) {
    auto cgroup = collect::parse_chosen_cgroup(text);
    if (!cgroup) return fail(ErrorCode::kBadUse, "--cgroup", text + " is no path of a control group");
    result.daemons.cgroups.push_back(std::move(*cgroup));
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
  CLI::App* command = record.add_subcommand(
      "metrics", "Sample disks, network interfaces, TCP connections, processors and daemons");
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
  list("--daemon", options->daemons, "Only these daemons, by name; the default is those of file systems",
       "GLOB,...");
  list("--cgroup", options->cgroups, "The processes of these control groups as one daemon each",
       "[NAME=]PATH,...");
  command->add_flag("--no-host", options->no_host, "Neither processors and memory nor daemons");
  command->footer(
      "Example:\n  laggard record metrics --out rec --duration 10m --tcp-port 2049\n"
      "Ends at SIGTERM or Ctrl-C with everything written.");
  command->callback([options, &context] {
    const Status done = record_metrics(*options);
    if (!done) context.status = report_error(done.error());
  });
}

/// The first line of a file of the kernel's; empty when there is none.
std::string line_of(const std::filesystem::path& path) {
  const auto text = read_file(path);
  return text ? std::string(trim(*text)) : std::string{};
}

Result<collect::EventRecorderOptions> recorder_options(const RecordEventsOptions& options) {
  const std::filesystem::path root = options.root;
  collect::EventRecorderOptions result;
  result.host = options.host.empty() ? line_of(root / "proc/sys/kernel/hostname") : options.host;
  if (result.host.empty()) {
    return fail(ErrorCode::kNotFound, options.root,
                "does not tell the name of the host; give one with --host");
  }
  result.boot = line_of(root / "proc/sys/kernel/random/boot_id");
  auto times = record_times(options);
  if (!times) return forward(times);
  result.flush = times->flush;
  result.duration = times->duration;
  return result;
}

void say(const std::string& sentence) {
  std::fputs(fmt::format("laggard: note: {}\n", printable(sentence)).c_str(), stderr);
}

/// Says that nothing can be written now: once when it begins, and again when it becomes another reason or
/// ends.
class Refusals {
 public:
  explicit Refusals(std::string out) : out_(std::move(out)) {}

  void tell(const Status& flushed) {
    if (!flushed && flushed.error().code != ErrorCode::kNoSpace) return;  // The recording ends with it.
    const std::string why = flushed ? "" : flushed.error().what;
    if (std::exchange(told_, why) == why) return;
    say(flushed ? out_ + ": can be written again" : flushed.error().message() + "; what is recorded waits");
  }

 private:
  std::string out_;
  std::string told_;
};

/// \param sentences  what came of it
void say_what_came_of_it(const std::string& out, const collect::Outbox::Counts& counts,
                         const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences) say(fmt::format("{}: {}", out, sentence));
  if (counts.observations_dropped == 0) return;
  say(fmt::format("{}: {} lost while the disk hung", out, counts.observations_dropped));
}

/// Where the observations of a source go: counted where they are to be, and into the recording.
class Destination {
 public:
  [[nodiscard]] static Result<Destination> make(const collect::EventSourceSpec& source,
                                                const RecordEventsOptions& options, const std::string& host,
                                                ObservationSink& recording) {
    Destination destination(recording);
    if (!source.is_counted) return destination;
    TransferRules rules;
    if (!options.system.empty()) {
      auto model = topology::load_system(options.system);
      if (!model) return forward(model);
      rules = std::move(model->transfers);
    }
    destination.counted_ = std::make_unique<CountedCalls>(
        recording, CountedCalls::Options{.host = host,
                                         .rules = std::move(rules),
                                         .keeps_all = options.records,
                                         .wanted = [out = options.out] { return archive::wanted_at(out); }});
    return destination;
  }

  [[nodiscard]] ObservationSink& sink() { return counted_ ? *counted_ : recording_; }
  [[nodiscard]] Status finish() { return counted_ ? counted_->finish() : Status(); }
  /// What came of it. \param delivered  how many observations there were
  [[nodiscard]] std::vector<std::string> sentences(std::uint64_t delivered) const {
    return counted_ ? counted_->sentences(delivered) : std::vector{fmt::format("{} recorded", delivered)};
  }

 private:
  explicit Destination(ObservationSink& recording) : recording_(recording) {}

  ObservationSink& recording_;
  std::unique_ptr<CountedCalls> counted_;
};

}  // namespace

Status record_events(const collect::EventSourceSpec& source, const RecordEventsOptions& options,
                     collect::SignalClock& clock) {
  if (Status usable = check_recording_folder(options.out); !usable) return usable;
  auto settings = recorder_options(options);
  if (!settings) return forward(settings);
  auto retention = retention_of(options.keep, options.max_size);
  if (!retention) return forward(retention);
  archive::WriterOptions writing;
  writing.flush_interval = Duration::zero();  // The outbox says when.
  writing.say = say;
  writing.recorder = source.name;
  archive::ObservationWriter writer(options.out, writing, clock);
  auto destination = Destination::make(source, options, settings->host, writer);
  if (!destination) return forward(destination);
  auto opened = source.open({.from = options.from,
                             .root = options.root,
                             .host = settings->host,
                             .options = options.source,
                             .say = say,
                             .bookmarks = [&writer, host = settings->host](const std::string& kind) {
                               return writer.bookmarks(host, kind);
                             }});
  if (!opened) return forward(opened);
  if (Status ours = writer.claim(source.shape, settings->host); !ours) return ours;
  retention->host = settings->host;
  Retainer retainer(options.out, std::move(*retention), clock);
  if (Status pruned = retainer.prune_now(); !pruned) return pruned;
  collect::Outbox::Options delivery;
  Refusals refusals(options.out);
  delivery.afterwards = [&] {
    Status flushed = writer.flush();
    retainer.prune_when_due();  // On a full disk too: it may make the room that is lacking.
    refusals.tell(flushed);
    return flushed;
  };
  collect::Outbox outbox(destination->sink(), delivery);
  std::vector<std::unique_ptr<collect::EventSource>> sources;
  sources.push_back(std::move(*opened));
  collect::EventRecorder recorder(std::move(*settings), clock, outbox, std::move(sources));
  Status recorded = recorder.run(
      [&] { return clock.asked_to_stop(); },
      [&](MonoTime deadline, std::span<const int> readable) { clock.sleep_until(deadline, readable); });
  const Status counted = destination->finish();
  const Status closed = writer.close();
  say_what_came_of_it(options.out, outbox.counts(),
                      destination->sentences(outbox.counts().observations_delivered));
  if (!recorded) return recorded;
  return counted ? closed : counted;
}

namespace {

void add_source_options(CLI::App& command, const collect::EventSourceSpec& source,
                        RecordEventsOptions& options) {
  if (!source.from.empty()) {
    command.add_option("--from", options.from, std::string(source.from))->type_name("PATH");
  }
  for (const collect::EventSourceOption& option : source.options) {
    std::vector<std::string>& values = options.source[std::string(option.name)];
    for (const std::string_view value : split(option.initial, ',')) {
      if (!value.empty()) values.emplace_back(value);
    }
    if (option.is_flag) {
      command.add_flag_callback(
          "--" + std::string(option.name), [&values] { values = {"yes"}; }, std::string(option.help));
      continue;
    }
    CLI::Option* added = command.add_option((option.is_command ? "" : "--") + std::string(option.name),
                                            values, std::string(option.help));
    added->type_name(std::string(option.type));
    if (option.is_command) continue;
    added->allow_extra_args(false);
    if (!option.initial.empty()) added->default_str(std::string(option.initial));
    if (option.many) {
      added->delimiter(',');
    } else {
      added->multi_option_policy(CLI::MultiOptionPolicy::Throw)->expected(1);
    }
  }
}

void add_counting_options(CLI::App& command, RecordEventsOptions& options) {
  command.add_flag("--records", options.records, "Keep every event, not counts alone: 1 to 10 bytes each");
  command.add_option("--system", options.system, "System file that says which files and sockets count")
      ->type_name("FILE");
}

/// `laggard record NAME` for each row of the table of event sources.
void add_record_events(CLI::App& record, Context& context) {
  for (const collect::EventSourceSpec& source : collect::event_sources()) {
    auto options = std::make_shared<RecordEventsOptions>();
    CLI::App* command = record.add_subcommand(std::string(source.name), std::string(source.help));
    add_record_options(*command, *options);
    add_source_options(*command, source, *options);
    if (source.is_counted) add_counting_options(*command, *options);
    command->footer(
        fmt::format("Example:\n  laggard record {} --out rec{}{}\n"
                    "Ends at SIGTERM or Ctrl-C with everything written.",
                    source.name, source.example.empty() ? "" : " ", source.example));
    command->callback([options, &source, &context] {
      auto clock = collect::SignalClock::make();
      const Status done = clock ? record_events(source, *options, *clock) : Status(forward(clock));
      if (!done) context.status = report_error(done.error());
    });
  }
}

}  // namespace

void add_record_command(CLI::App& app, Context& context) {
  CLI::App* record = app.add_subcommand("record", "Record what this machine does");
  record->require_subcommand(1);
  add_record_metrics(*record, context);
  add_record_events(*record, context);
}

}  // namespace laggard::cmd
