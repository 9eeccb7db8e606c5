#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/time.h"
#include "cmd/commands.h"
#include "cmd/import_run.h"
#include "collect/import/perf/import.h"

namespace laggard::cmd {

namespace {

struct PerfCommand {
  ImportOptions common;
  std::vector<std::filesystem::path> files;
  std::string tz;
  std::string start;
  std::string frequency;
  collect::PerfImportOptions samples;
  collect::UnpackLimits limits;
};

int run_import_perf(PerfCommand command) {
  auto zone = zone_option(command.tz);
  if (!zone) return report_error(zone.error());
  command.samples.zone = *zone;
  if (!command.start.empty()) {
    auto start = parse_time(command.start);
    if (!start) return report_error({ErrorCode::kBadUse, "--start", start.error().what});
    command.samples.start = *start;
  }
  auto each = frequency_option(command.frequency);
  if (!each) return report_error(each.error());
  command.samples.each = *each;
  return run_observation_import(
      command.common, code_kinds(), [&](ObservationSink& sink, collect::ImportObserver& observer) {
        return collect::import_perf(command.files, command.samples, sink, observer, command.limits);
      });
}

}  // namespace

void add_import_perf(CLI::App& import, Context& context) {
  CLI::App* command =
      import.add_subcommand("perf", "Samples of what processors do, as perf script writes them");
  auto options = std::make_shared<PerfCommand>();
  command->add_option("files", options->files, "Of perf script --header, packed or not; - is standard input")
      ->required()
      ->type_name("FILE");
  add_common(*command, options->common);
  command->add_option("--host", options->samples.host, "The host that was sampled, in place of the header's")
      ->type_name("NAME");
  command
      ->add_option("--start", options->start,
                   "When the first sample was, where no header says when the recording was made")
      ->type_name("TIME");
  command->add_option("--tz", options->tz, "Of the header's time: its distance from UTC (UTC)")
      ->type_name("+HH:MM");
  command
      ->add_option("--frequency", options->frequency,
                   "Samples a second of a busy processor (perf record -F), where the event is no clock")
      ->type_name("HZ");
  add_list(*command, "--event", options->samples.events,
           "Samples of these events (the first sample's); of several, their counts are added")
      ->type_name("NAME");
  add_max_unpacked(*command, options->limits, "1G, or 300 times its size");
  command->footer(
      "Example:\n"
      "  perf record -F 99 -a -e cpu-clock -g sleep 60; perf script --header >samples.txt\n"
      "  laggard import perf samples.txt --out REC\n"
      "  laggard export REC --profiles samples --format folded");
  command->callback([options, &context] { context.status = run_import_perf(*options); });
}

}  // namespace laggard::cmd
