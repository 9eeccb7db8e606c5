#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/time.h"
#include "cmd/commands.h"
#include "cmd/import_run.h"
#include "cmd/shared_options.h"
#include "collect/import/csv/moment.h"
#include "collect/import/pings/import.h"
#include "collect/pings/ping_source.h"

namespace laggard::cmd {

namespace {

struct PingsCommand {
  ImportOptions common;
  std::vector<std::filesystem::path> files;
  std::string tz;
  std::string slo = "1s";
  collect::ProbeDefaults probes;
  collect::UnpackLimits limits;
};

int run_import_pings(PingsCommand command) {
  auto zone = zone_option(command.tz);
  if (!zone) return report_error(zone.error());
  command.probes.times.zone = *zone;
  if (const Status format = collect::check_format(command.probes.times.format); !format) {
    return report_error(format.error());
  }
  auto slo = duration_option("--slo", command.slo, std::chrono::milliseconds(1), std::chrono::hours(1));
  if (!slo) return report_error(slo.error());
  command.probes.deadline = *slo;
  return run_observation_import(command.common,
                                {.recorder = "pings",
                                 .kinds = {std::string(collect::PingSource::kKind)},
                                 .one = "probe",
                                 .many = "probes"},
                                [&](ObservationSink& sink, collect::ImportObserver& observer) {
                                  return collect::import_pings(command.files, command.probes, sink, observer,
                                                               command.limits);
                                });
}

}  // namespace

void add_import_pings(CLI::App& import, Context& context) {
  CLI::App* command = import.add_subcommand("pings", "Probes that another program made, as a table");
  auto options = std::make_shared<PingsCommand>();
  command
      ->add_option("files", options->files,
                   "Lines of fields with commas under a header, packed or not; - is standard input")
      ->required()
      ->type_name("FILE");
  add_common(*command, options->common);
  command->add_option("--client", options->probes.client, "Who probed, where no column says so")
      ->type_name("NAME");
  command
      ->add_option("--operation", options->probes.operation,
                   "CrWr, WrEx or RmEx, where no column says so: only WrEx passes no metadata server")
      ->type_name("NAME")
      ->capture_default_str();
  command->add_option("--slo", options->slo, "What took longer was slow, where no outcome is written")
      ->type_name("TIME")
      ->capture_default_str();
  command->add_option("--time-format", options->probes.times.format, "As of import csv")->type_name("FORM");
  command->add_option("--tz", options->tz, "Of times that name no zone: their distance from UTC")
      ->type_name("+HH:MM");
  add_max_unpacked(*command, options->limits, "1G, or 300 times its size");
  command->footer(
      "Columns: time, client, target, operation, latency_s (_ms, _us, _ns), outcome, error.\n"
      "Examples:\n"
      "  laggard import pings probes.csv.gz --out REC\n"
      "  laggard export OLD --events ping | laggard import pings - --out REC");
  command->callback([options, &context] { context.status = run_import_pings(*options); });
}

}  // namespace laggard::cmd
