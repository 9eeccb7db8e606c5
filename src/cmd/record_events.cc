#include "cmd/record_events.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "archive/writer.h"
#include "base/file.h"
#include "base/terminal_text.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/recording_folder.h"
#include "collect/record/outbox.h"

namespace laggard::cmd {

namespace {

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

void say_what_came_of_it(const std::string& out, const collect::Outbox::Counts& counts) {
  say(fmt::format("{}: {} recorded{}", out, counts.observations_delivered,
                  counts.observations_dropped == 0
                      ? ""
                      : fmt::format(", {} lost while the disk hung", counts.observations_dropped)));
}

}  // namespace

Status record_events(const collect::EventSourceSpec& source, const RecordEventsOptions& options,
                     collect::SignalClock& clock) {
  if (Status usable = check_recording_folder(options.out); !usable) return usable;
  auto settings = recorder_options(options);
  if (!settings) return forward(settings);
  auto retention = retention_of(options.keep, options.max_size);
  if (!retention) return forward(retention);
  auto opened = source.open({options.from, options.root});
  if (!opened) return forward(opened);

  archive::WriterOptions writing;
  writing.flush_interval = Duration::zero();  // The outbox says when.
  writing.say = say;
  archive::ObservationWriter writer(options.out, writing, clock);
  if (Status ours = writer.claim(ObservationShape::kEvents, settings->host); !ours) return ours;
  retention->host = settings->host;
  Retainer retainer(options.out, std::move(*retention), clock);
  if (Status pruned = retainer.prune_now(); !pruned) return pruned;
  collect::Outbox::Options delivery;
  delivery.afterwards = [&] {
    Status flushed = writer.flush();
    retainer.prune_when_due();  // On a full disk too: it may make the room that is lacking.
    return flushed;
  };
  collect::Outbox outbox(writer, delivery);
  std::vector<std::unique_ptr<collect::EventSource>> sources;
  sources.push_back(std::move(*opened));
  collect::EventRecorder recorder(std::move(*settings), clock, outbox, std::move(sources));
  Status recorded = recorder.run(
      [&] { return clock.asked_to_stop(); },
      [&](MonoTime deadline, std::span<const int> readable) { clock.sleep_until(deadline, readable); });
  const Status closed = writer.close();
  say_what_came_of_it(options.out, outbox.counts());
  return recorded ? closed : recorded;
}

void add_record_events(CLI::App& record, Context& context) {
  for (const collect::EventSourceSpec& source : collect::event_sources()) {
    auto options = std::make_shared<RecordEventsOptions>();
    CLI::App* command = record.add_subcommand(std::string(source.name), std::string(source.help));
    add_record_options(*command, *options);
    command->add_option("--from", options->from, "What to read; else the usual place")->type_name("PATH");
    command->footer(
        fmt::format("Example:\n  laggard record {} --out rec\n"
                    "Ends at SIGTERM or Ctrl-C with everything written.",
                    source.name));
    command->callback([options, &source, &context] {
      auto clock = collect::SignalClock::make();
      const Status done = clock ? record_events(source, *options, *clock) : Status(forward(clock));
      if (!done) context.status = report_error(done.error());
    });
  }
}

}  // namespace laggard::cmd
