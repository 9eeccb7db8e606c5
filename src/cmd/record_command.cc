#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

#include "archive/writer.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "collect/record/metrics_samplers.h"
#include "collect/record/recorder.h"
#include "collect/record/signal_clock.h"

namespace laggard::cmd {

namespace {

using namespace std::chrono_literals;

/// As the command line has it.
struct RecordMetricsOptions {
  std::string out;
  std::string interval = "1s";
  std::string duration;
  std::string flush = "10s";
  std::string root = "/";
  std::string host;
  std::vector<std::string> disks;
  std::vector<std::string> nets;
  std::vector<std::uint16_t> tcp_ports;
  std::vector<std::string> tcp_peers;
  bool no_tcp = false;
  bool partitions = false;
};

constexpr Duration kShortestInterval = 100ms;
constexpr Duration kLongestInterval = 24h;

Result<Duration> duration_option(const char* option, const std::string& text, Duration least, Duration most) {
  Result<Duration> parsed = parse_duration(text);
  if (!parsed) return fail(ErrorCode::kBadUse, option, parsed.error().message());
  if (*parsed < least || *parsed > most) {
    return fail(ErrorCode::kBadUse, option,
                fmt::format("{} is not between {} and {}", text, to_text(least), to_text(most)));
  }
  return *parsed;
}

Result<collect::RecorderOptions> recorder_options(const RecordMetricsOptions& options) {
  collect::RecorderOptions result;
  auto interval = duration_option("--interval", options.interval, kShortestInterval, kLongestInterval);
  if (!interval) return forward(interval);
  result.interval = *interval;
  auto flush = duration_option("--flush", options.flush, kShortestInterval, 1h);
  if (!flush) return forward(flush);
  result.flush = *flush;
  if (!options.duration.empty()) {
    auto duration = duration_option("--duration", options.duration, kShortestInterval, 24h * 366 * 10);
    if (!duration) return forward(duration);
    result.duration = *duration;
  }
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

std::uint64_t bytes_below(const std::filesystem::path& folder) {
  std::uint64_t sum = 0;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code gone;
    const std::uintmax_t size = it->is_regular_file(gone) ? it->file_size(gone) : 0;
    if (!gone) sum += size;
  }
  return sum;
}

/// The line on a terminal, and the sentences above it.
class RecordDisplay {
 public:
  RecordDisplay(std::string out, Duration refresh_size)
      : out_(std::move(out)), refresh_size_(refresh_size), terminal_(::isatty(STDERR_FILENO) == 1) {}

  void say(const std::string& sentence) {
    std::fprintf(stderr, "%slaggard: note: %s\n", line_shown_ ? "\r\033[K" : "", sentence.c_str());
    line_shown_ = false;
  }

  void show(const collect::RecordProgress& progress) {
    if (progress.outbox.disk_full != was_full_) {
      was_full_ = progress.outbox.disk_full;
      say(was_full_ ? out_ + ": the disk is full; samples wait in memory" : out_ + ": there is room again");
    }
    if (!terminal_ || (shown_ && progress.elapsed - *shown_ < 200ms)) return;
    shown_ = progress.elapsed;
    if (!measured_ || progress.elapsed - *measured_ >= refresh_size_) {
      measured_ = progress.elapsed;
      bytes_ = bytes_below(out_);
    }
    std::fprintf(stderr, "\r\033[K%s", sentence(progress).c_str());
    std::fflush(stderr);
    line_shown_ = true;
  }

  void finish(const collect::RecordProgress& progress, std::uint64_t lost) {
    bytes_ = bytes_below(out_);
    std::string text = sentence(progress);
    if (progress.outbox.rows_dropped > 0) {
      text += fmt::format("; {} dropped while the disk hung", progress.outbox.rows_dropped);
    }
    if (lost > 0) text += fmt::format("; {} lost while the disk was full", lost);
    if (progress.clock_steps > 0) text += fmt::format("; steps of the clock: {}", progress.clock_steps);
    std::fprintf(stderr, "%srecorded %s in %s\n", line_shown_ ? "\r\033[K" : "", text.c_str(), out_.c_str());
  }

 private:
  [[nodiscard]] std::string sentence(const collect::RecordProgress& progress) const {
    std::string gaps = fmt::format("{} {}", progress.gaps, progress.gaps == 1 ? "gap" : "gaps");
    if (progress.gaps > 0) gaps += fmt::format(" ({} ticks missed)", progress.missed_ticks);
    return fmt::format("{}: {} samples of {} devices, {}, {}",
                       to_text(std::chrono::duration_cast<std::chrono::seconds>(progress.elapsed)),
                       progress.samples, progress.devices, human_bytes(bytes_), gaps);
  }

  std::string out_;
  Duration refresh_size_;
  bool terminal_;
  bool line_shown_ = false;
  bool was_full_ = false;
  std::optional<Duration> shown_;
  std::optional<Duration> measured_;
  std::uint64_t bytes_ = 0;
};

Status record_metrics(const RecordMetricsOptions& options) {
  auto recorder_settings = recorder_options(options);
  if (!recorder_settings) return forward(recorder_settings);
  auto metrics = metrics_options(options);
  if (!metrics) return forward(metrics);
  auto clock = collect::SignalClock::make();
  if (!clock) return forward(clock);

  RecordDisplay display(options.out, std::max<Duration>(recorder_settings->flush, 1s));
  collect::Notices notices([&](const std::string& sentence) { display.say(sentence); });
  auto opened = collect::open_metrics(std::move(*metrics), notices);
  if (!opened) return forward(opened);
  recorder_settings->boot = opened->boot;

  archive::WriterOptions writing;
  writing.flush_interval = Duration::zero();  // The outbox says when: one transaction for all kinds.
  auto writer = archive::Writer::open(options.out, writing, *clock);
  if (!writer) return forward(writer);
  collect::Outbox::Options delivery;
  delivery.afterwards = [&] { return (*writer)->flush(); };
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
  command->add_option("--out", options->out, "The recording, a folder; is continued if it is there")
      ->required()
      ->type_name("REC");
  const auto text = [&](const char* name, std::string& value, const char* help, const char* type) {
    command->add_option(name, value, help)->type_name(type)->capture_default_str();
  };
  text("--interval", options->interval, "Between two samples, 100ms or more", "TIME");
  text("--duration", options->duration, "Stop after this; else at SIGTERM or Ctrl-C", "TIME");
  text("--flush", options->flush, "What a crash may lose", "TIME");
  text("--root", options->root, "Where /proc, /sys and /dev are, such as /host in a container", "DIR");
  text("--host", options->host, "Name in the recording; else the machine's own", "NAME");
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
}

}  // namespace laggard::cmd
