#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/time.h"
#include "cmd/commands.h"
#include "cmd/import_run.h"
#include "collect/import/logs/import.h"
#include "model/log_line.h"

namespace laggard::cmd {

namespace {

struct LogsCommand {
  ImportOptions common;
  std::vector<std::filesystem::path> files;
  std::string tz;
  collect::LogImportOptions logs;
  collect::UnpackLimits limits;
};

int run_import_logs(LogsCommand command) {
  auto zone = zone_option(command.tz);
  if (!zone) return report_error(zone.error());
  command.logs.zone = *zone;
  command.logs.now = SystemClock().wall();
  return run_observation_import(
      command.common, {.recorder = "logs", .kinds = {std::string(kLogKind)}, .one = "line", .many = "lines"},
      [&](ObservationSink& sink, collect::ImportObserver& observer) {
        return collect::import_logs(command.files, command.logs, sink, observer, command.limits);
      });
}

}  // namespace

void add_import_logs(CLI::App& import, Context& context) {
  CLI::App* command = import.add_subcommand(
      "logs", "Lines of syslog, journals, and the logs of Lustre, GPFS, Ceph and GlusterFS");
  auto options = std::make_shared<LogsCommand>();
  command
      ->add_option("files", options->files,
                   "Plain, gz, bz2, xz, zst or lz4, tar or zip of many; - is standard input")
      ->required()
      ->type_name("FILE");
  add_common(*command, options->common);
  command->add_option("--host", options->logs.host, "The host, of lines that name none")->type_name("NAME");
  command->add_option("--tz", options->tz, "Of times that name no zone: their distance from UTC (UTC)")
      ->type_name("+HH:MM");
  command
      ->add_option("--year", options->logs.year,
                   "In which a log begins whose lines name none (from when its file was written)")
      ->type_name("YYYY")
      ->check(CLI::Range(1970, 2099));
  add_max_unpacked(*command, options->limits, "1G, or 300 times its size");
  command->footer(
      "Examples:\n"
      "  laggard import logs /var/log/messages* --tz +01:00 --out REC\n"
      "  journalctl -o export --since yesterday | laggard import logs - --out REC\n"
      "  laggard import logs mmfs.log.latest --host nsd1 --out REC");
  command->callback([options, &context] { context.status = run_import_logs(*options); });
}

}  // namespace laggard::cmd
