// laggard-lab localize: which links of a network lose packets, by what flows lost.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "cmd/output.h"
#include "lab/cmd/commands.h"
#include "lab/cmd/processor_seconds.h"
#include "lab/score/flow_trace.h"
#include "lab/sim/random.h"
#include "stats/failed_units.h"

namespace laggard::lab {

namespace {

struct LocalizeOptions {
  std::vector<std::string> traces;
  std::optional<std::size_t> failed;
  std::size_t repeat = 10;
  std::uint64_t seed = 1;
};

/// Truth and verdict of some traces.
struct LinkScore {
  std::size_t failing = 0;
  std::size_t named = 0;
  std::size_t right = 0;
  double seconds = 0;  ///< Of processor time, without reading.
  std::size_t traces = 0;

  void add(const LinkScore& more) {
    failing += more.failing;
    named += more.named;
    right += more.right;
    seconds += more.seconds;
    traces += more.traces;
  }
};

std::string row(const std::string& name, const LinkScore& score) {
  const auto share = [&](std::size_t of) {
    return of == 0 ? std::string("–")
                   : fmt::format("{:.3f}", static_cast<double>(score.right) / static_cast<double>(of));
  };
  const std::size_t both = score.failing + score.named;
  const double f = both == 0 ? 1 : 2 * static_cast<double>(score.right) / static_cast<double>(both);
  return fmt::format("| {} | {} | {} | {} | {} | {} | {:.3f} | {:.3f} |\n", name, score.failing, score.named,
                     score.right, share(score.named), share(score.failing), f,
                     score.seconds / static_cast<double>(std::max<std::size_t>(score.traces, 1)));
}

LinkScore judge(const FlowTrace& trace) {
  const double before = processor_seconds();
  const auto named = stats::failed_units(trace.paths, trace.links.size(), trace.sent, trace.lost);
  LinkScore score{.failing = trace.failing.size(), .named = named.size(), .traces = 1};
  score.seconds = processor_seconds() - before;
  score.right = static_cast<std::size_t>(std::ranges::count_if(
      named, [&](const stats::FailedUnit& one) { return trace.failing.contains(one.unit); }));
  return score;
}

/// The same flows, in a network of which so many other links lose 0.2 to 2 %, and all others up to one in ten
/// thousand.
void lose_anew(FlowTrace& trace, std::size_t failed, Random random) {
  std::vector<double> loss(trace.links.size());
  for (double& each : loss) each = random.uniform(0, 1e-4);
  trace.failing.clear();
  while (trace.failing.size() < std::min(failed, loss.size()))
    trace.failing.insert(random.below(loss.size()));
  for (const std::size_t link : trace.failing) loss[link] = random.uniform(0.002, 0.02);
  for (std::size_t p = 0; p < trace.paths.size(); ++p) {
    auto left = static_cast<std::uint32_t>(trace.sent[p]);
    for (const std::size_t link : trace.paths[p]) left -= random.binomial(left, loss[link]);
    trace.lost[p] = trace.sent[p] - left;
  }
}

Status localize(const LocalizeOptions& options) {
  std::string out =
      "| trace | failed links | named | right | precision | recall | F | CPU s "
      "|\n|---|---|---|---|---|---|---|---|\n";
  LinkScore all;
  for (const std::string& path : options.traces) {
    auto text = read_file(path);
    if (!text) return forward(text);
    auto trace = parse_flow_trace(*text, path);
    if (!trace) return forward(trace);
    LinkScore score;
    if (!options.failed) score = judge(*trace);
    for (std::size_t i = 0; options.failed && i < options.repeat; ++i) {
      lose_anew(*trace, *options.failed, Random(options.seed).fork(path, i));
      score.add(judge(*trace));
    }
    all.add(score);
    out += row(path, score);
  }
  if (options.traces.size() > 1) out += row("all", all);
  return cmd::print(out);
}

}  // namespace

void add_localize_command(CLI::App& app, cmd::Context& context) {
  auto options = std::make_shared<LocalizeOptions>();
  CLI::App* command =
      app.add_subcommand("localize", "Score which links of a network lose packets, by what flows lost");
  command->add_option("TRACE", options->traces, "What flows lost, and the truth, as Flock writes them")
      ->required();
  command
      ->add_option("--failed", options->failed,
                   "So many links fail in place of those of the trace: its flows lose packets anew")
      ->check(CLI::Range(0, 100'000))
      ->type_name("N");
  command->add_option("--repeat", options->repeat, "How often that is drawn for each trace")
      ->check(CLI::Range(1, 100'000))
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--seed", options->seed, "Of that")->type_name("N")->capture_default_str();
  command->footer(
      "Example:\n  laggard-lab localize traces/f4_*\n  laggard-lab localize traces/f4_1 --failed 8");
  command->callback([options, &context] {
    if (Status done = localize(*options); !done) {
      context.status = cmd::report_error(done.error(), context.program);
    }
  });
}

}  // namespace laggard::lab
