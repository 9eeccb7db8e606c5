#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/time.h"
#include "cmd/commands.h"
#include "cmd/import_run.h"
#include "cmd/shared_options.h"
#include "collect/import/folded/import.h"

namespace laggard::cmd {

namespace {

struct FoldedCommand {
  ImportOptions common;
  std::vector<std::filesystem::path> files;
  std::string start;
  std::string length = "10s";
  std::string frequency;
  collect::FoldedImportOptions samples;
  collect::UnpackLimits limits;
};

int run_import_folded(FoldedCommand command) {
  auto start = parse_time(command.start);
  if (!start) return report_error({ErrorCode::kBadUse, "--start", start.error().what});
  command.samples.start = *start;
  auto length =
      duration_option("--length", command.length, std::chrono::milliseconds(1), std::chrono::hours(24));
  if (!length) return report_error(length.error());
  command.samples.length = *length;
  auto each = frequency_option(command.frequency);
  if (!each) return report_error(each.error());
  command.samples.each = *each;
  return run_observation_import(
      command.common, code_kinds(), [&](ObservationSink& sink, collect::ImportObserver& observer) {
        return collect::import_folded(command.files, command.samples, sink, observer, command.limits);
      });
}

}  // namespace

void add_import_folded(CLI::App& import, Context& context) {
  CLI::App* command = import.add_subcommand("folded", "Folded call stacks, as flame graphs are drawn from");
  auto options = std::make_shared<FoldedCommand>();
  command
      ->add_option("files", options->files,
                   "Lines of PROGRAM;OUTERMOST;...;INNERMOST COUNT, packed or not; - is standard input")
      ->required()
      ->type_name("FILE");
  add_common(*command, options->common);
  command->add_option("--host", options->samples.host, "The host that was sampled")
      ->required()
      ->type_name("NAME");
  command->add_option("--start", options->start, "When sampling began")->required()->type_name("TIME");
  command->add_option("--length", options->length, "How long it went on")
      ->type_name("TIME")
      ->capture_default_str();
  command
      ->add_option("--frequency", options->frequency,
                   "Samples a second of a busy processor; without it nobody knows how long one stands for")
      ->type_name("HZ");
  add_max_unpacked(*command, options->limits, "1G, or 300 times its size");
  command->footer(
      "Example:\n"
      "  laggard import folded out.folded --host s1 --start 2026-11-20T19:21:30Z --length 60s --frequency 99 "
      "\\\n"
      "    --out REC");
  command->callback([options, &context] { context.status = run_import_folded(*options); });
}

}  // namespace laggard::cmd
