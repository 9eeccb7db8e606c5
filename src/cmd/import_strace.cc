#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/time.h"
#include "cmd/commands.h"
#include "cmd/import_run.h"
#include "collect/import/strace/import.h"
#include "model/syscall_event.h"

namespace laggard::cmd {

namespace {

struct StraceCommand {
  ImportOptions common;
  std::vector<std::filesystem::path> files;
  std::string tz;
  std::string begin;
  collect::StraceImportOptions trace;
  collect::UnpackLimits limits;
};

int run_import_strace(StraceCommand command) {
  auto zone = zone_option(command.tz);
  if (!zone) return report_error(zone.error());
  command.trace.zone = zone->value_or(Duration::zero());
  if (!command.begin.empty()) {
    auto begin = parse_time(command.begin);
    if (!begin) return report_error({ErrorCode::kBadUse, "--begin", begin.error().what});
    command.trace.begin = *begin;
  }
  return run_observation_import(
      command.common,
      {.recorder = "syscalls", .kinds = {std::string(kSyscallKind)}, .one = "call", .many = "calls"},
      [&](ObservationSink& sink, collect::ImportObserver& observer) {
        return collect::import_strace(command.files, command.trace, sink, observer, command.limits);
      });
}

}  // namespace

void add_import_strace(CLI::App& import, Context& context) {
  CLI::App* command = import.add_subcommand("strace", "System calls, as strace writes them");
  auto options = std::make_shared<StraceCommand>();
  command->add_option("files", options->files, "Of strace -o, packed or not; - is standard input")
      ->required()
      ->type_name("FILE");
  add_common(*command, options->common);
  command->add_option("--host", options->trace.host, "The host that was traced")
      ->required()
      ->type_name("NAME");
  command
      ->add_option("--begin", options->begin,
                   "When the trace began, where it tells no day (-t, -tt) or distances (-r)")
      ->type_name("TIME");
  command->add_option("--tz", options->tz, "Of times of day: their distance from UTC (UTC)")
      ->type_name("+HH:MM");
  add_max_unpacked(*command, options->limits, "1G, or 300 times its size");
  command->footer(
      "Examples:\n"
      "  strace -f -ttt -T -yy -o trace -p $(pidof glusterfsd); laggard import strace trace --host s1 --out "
      "REC\n"
      "  laggard export REC --events syscall --format chrome --out trace.json");
  command->callback([options, &context] { context.status = run_import_strace(*options); });
}

}  // namespace laggard::cmd
