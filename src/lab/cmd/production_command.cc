// laggard-lab production: Kaleidoscope's probes on a simulated site of Blue Waters' size, diagnosed and
// scored.
#include <fmt/format.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "base/workers.h"
#include "cmd/output.h"
#include "cmd/progress.h"
#include "lab/cmd/commands.h"
#include "lab/cmd/production_report.h"
#include "lab/cmd/production_run.h"

namespace laggard::lab {

namespace {

struct ProductionOptions {
  std::size_t issues = 30;
  std::size_t healthy_hours = 0;
  std::uint64_t seed = 2;
  std::size_t threads = 2;
  std::string kind;
  std::optional<double> silent;
  std::size_t first = 0;
};

/// Numbers of healthy stretches are apart from those with an issue.
constexpr std::uint64_t kFirstHealthy = 1'000'000;

std::optional<production::IncidentKind> kind_called(const std::string& name) {
  for (std::size_t k = 0; k < production::kIncidentKinds; ++k) {
    const auto kind = static_cast<production::IncidentKind>(k);
    if (to_name(kind) == name) return kind;
  }
  return std::nullopt;
}

Result<ProductionResults> run_all(const ProductionOptions& options,
                                  std::optional<production::IncidentKind> kind) {
  auto grouping = production_grouping();
  if (!grouping) return forward(grouping);
  ProductionResults results;
  results.issues.resize(options.issues);
  results.healthy.resize(options.healthy_hours);
  SystemClock clock;
  cmd::Progress progress("simulating", clock);
  std::mutex mutex;
  Status failed;
  std::size_t done = 0;
  const std::size_t all = options.issues + options.healthy_hours;
  Workers(options.threads).run(all, [&](std::size_t i) {
    const bool is_healthy = i >= options.issues;
    const std::uint64_t number = is_healthy ? kFirstHealthy + i - options.issues : options.first + i;
    const production::Stretch stretch = make_stretch(options.seed, number, is_healthy, kind);
    auto result =
        run_stretch(*grouping, stretch, {.seed = options.seed, .number = number, .silent = options.silent});
    const std::lock_guard lock(mutex);
    progress.update(static_cast<double>(++done) / static_cast<double>(all));
    if (!result) {
      failed = forward(result);
    } else if (is_healthy) {
      results.healthy[i - options.issues] = std::move(*result);
    } else {
      results.issues[i] = std::move(*result);
    }
  });
  progress.clear();
  if (!failed) return forward(failed);
  return results;
}

Status production_campaign(const ProductionOptions& options) {
  std::optional<production::IncidentKind> kind;
  if (!options.kind.empty()) {
    kind = kind_called(options.kind);
    if (!kind) {
      std::string known;
      for (std::size_t k = 0; k < production::kIncidentKinds; ++k) {
        known += (k == 0 ? "" : ", ") + std::string(to_name(static_cast<production::IncidentKind>(k)));
      }
      return fail(ErrorCode::kBadUse, "--kind", fmt::format("'{}' is none of {}", options.kind, known));
    }
  }
  auto results = run_all(options, kind);
  if (!results) return forward(results);
  return cmd::print(production_markdown(*results));
}

}  // namespace

void add_production_command(CLI::App& app, cmd::Context& context) {
  auto options = std::make_shared<ProductionOptions>();
  CLI::App* command = app.add_subcommand(
      "production", "Score the diagnosis of pings on a simulated site of Blue Waters' size");
  const auto add = [&](const char* name, auto& value, const char* help) {
    return command->add_option(name, value, help)->capture_default_str();
  };
  add("--issues", options->issues, "Incidents, each in an hour of its own")
      ->check(CLI::Range(0, 100'000))
      ->type_name("N");
  add("--first", options->first, "Number of the first of them")->type_name("N");
  add("--healthy", options->healthy_hours, "Hours without an incident")
      ->check(CLI::Range(0, 100'000))
      ->type_name("HOURS");
  add("--seed", options->seed, "Of the site and of all that happens; tune on even ones, report odd ones")
      ->type_name("N");
  add("--threads", options->threads, "Hours simulated at the same time")
      ->check(CLI::Range(1, 64))
      ->type_name("N");
  command->add_option("--kind", options->kind, "Incidents of this kind only")->type_name("KIND");
  command
      ->add_option("--silent", options->silent,
                   "So much of what is broken leaves no line in any log; the site has it of 0.5 to 2 %")
      ->check(CLI::Range(0.0, 1.0))
      ->type_name("SHARE");
  command->footer("Example:\n  laggard-lab production --issues 30 --healthy 24 --seed 2");
  command->callback([options, &context] {
    if (Status done = production_campaign(*options); !done) {
      context.status = cmd::report_error(done.error(), context.program);
    }
  });
}

}  // namespace laggard::lab
