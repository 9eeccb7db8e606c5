#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "archive/writer.h"
#include "base/time.h"
#include "cmd/commands.h"
#include "cmd/import_run.h"
#include "cmd/new_events.h"
#include "cmd/recording_folder.h"
#include "collect/import/csv/moment.h"
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
  SystemClock clock;
  const ImportOptions& common = command.common;
  if (!command.tz.empty()) {
    auto zone = collect::parse_zone(command.tz);
    if (!zone) return report_error(zone.error());
    command.logs.zone = *zone;
  }
  command.logs.now = clock.wall();
  if (const Status usable = check_recording_folder(common.out); !usable) return report_error(usable.error());
  std::error_code unknown;
  const bool made = !std::filesystem::exists(common.out, unknown);
  archive::ObservationWriter writer(common.out, {}, clock);
  auto events = NewEvents::open(common.out, std::string(kLogKind), writer);
  if (!events) return report_error(events.error());
  ImportDisplay display(clock);
  auto result = collect::import_logs(command.files, command.logs, *events, display, command.limits);
  display.clear();
  const Status closed = writer.close();
  const std::optional<std::uint64_t> passed_over = result ? std::optional(result->not_lines) : std::nullopt;
  return finish_import(common, result ? Result<collect::ImportResult>(std::move(*result)) : forward(result),
                       closed,
                       {.added = writer.stats().rows_added,
                        .already_there = events->already_there(),
                        .made = made,
                        .one = "line",
                        .many = "lines",
                        .passed_over = passed_over});
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
