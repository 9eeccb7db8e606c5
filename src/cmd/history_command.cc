// laggard history: what the incidents of a long time come to, by cause, mode, part and duration.
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "cmd/commands.h"
#include "cmd/diagnose.h"
#include "cmd/incident_view.h"
#include "cmd/job_work.h"
#include "cmd/load_latency.h"
#include "cmd/output.h"
#include "cmd/probe_times.h"
#include "explain/incident_statistics.h"
#include "report/incident_statistics.h"

namespace laggard::cmd {

namespace {

struct HistoryOptions {
  DiagnoseOptions diagnosis;
  std::string json;
  std::string html;
  double heavy = 1000;
};

Status show_history(const HistoryOptions& options) {
  const NamedOutput outputs[] = {{"--json", options.json}, {"--html", options.html}};
  const std::filesystem::path inputs[] = {options.diagnosis.analysis.system, options.diagnosis.thresholds,
                                          options.diagnosis.rules, options.diagnosis.log_patterns};
  if (Status safe = check_outputs(outputs, inputs); !safe) return safe;
  auto view = view_incidents(options.diagnosis);
  if (!view) return forward(view);
  const Diagnosis& diagnosis = view->diagnosis;
  IncidentStatistics statistics = explain::statistics_of(diagnosis.incidents, {diagnosis.from, diagnosis.to});
  auto probes = probe_times(view->setup, diagnosis.incidents);
  if (!probes) return forward(probes);
  statistics.probes = std::move(*probes);
  auto under_load = latency_under_load(view->setup);
  if (!under_load) return forward(under_load);
  statistics.under_load = std::move(*under_load);
  auto heavy_work = heavy_metadata_work(view->setup, options.heavy);
  if (!heavy_work) return forward(heavy_work);
  statistics.heavy_work = std::move(*heavy_work);
  if (!options.html.empty()) {
    if (Status written = print_or_write(options.html, report::to_html(statistics)); !written) return written;
  }
  if (!options.json.empty()) {
    if (Status written = print_or_write(options.json, report::to_json(statistics)); !written) return written;
  }
  const bool talk = options.json != "-" && options.html != "-";
  return talk ? print(report::to_text(statistics, text_options())) : Status{};
}

}  // namespace

void add_history_command(CLI::App& app, Context& context) {
  auto options = std::make_shared<HistoryOptions>();
  CLI::App* command =
      app.add_subcommand("history", "What the incidents of months come to: causes, durations, relapses");
  add_verdict_options(*command, options->diagnosis);
  command->add_option("--json", options->json, "The figures as JSON; - is standard output")
      ->type_name("FILE");
  command->add_option("--html", options->html, "One page with tables and pictures")->type_name("FILE");
  command
      ->add_option("--heavy", options->heavy,
                   "Metadata requests a second of one job at one target that are heavy work")
      ->type_name("N")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->footer("Example:\n  laggard history rec --from 2026-05-01T00:00:00Z --html history.html");
  command->callback([options, &context] {
    if (Status shown = show_history(*options); !shown) context.status = report_error(shown.error());
  });
}

}  // namespace laggard::cmd
