#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "base/text.h"
#include "base/workers.h"
#include "cmd/output.h"
#include "cmd/progress.h"
#include "lab/cmd/campaign.h"
#include "lab/cmd/cluster_parameters.h"
#include "lab/cmd/commands.h"
#include "lab/cmd/results.h"
#include "lab/cmd/sweep.h"

namespace laggard::lab {

namespace {

struct CampaignOptions {
  std::string clusters = "pvfs:10/10,pvfs:6/12,lustre:10/10,lustre:6/12";
  std::string workloads;
  std::string faults;
  std::size_t iterations = 10;
  std::size_t training = 10;
  std::uint64_t seed = 1;
  std::uint64_t seed_step = 1;
  std::uint64_t hardware_seed = 1;
  double disk_speed = 1;
  double network_speed = 1;
  std::size_t threads = all_threads();
  bool sweep = false;
  bool runs = false;
  ClusterParameters physics;
  ScoreOutput output;
};

/// `pvfs:10/10`: file system, clients, servers, as F writes them.
Result<ClusterSpec> parse_cluster(std::string_view text) {
  const auto bad = [&] {
    return fail(ErrorCode::kBadUse, "--clusters", fmt::format("'{}' is no cluster such as pvfs:10/10", text));
  };
  const std::size_t colon = text.find(':');
  const std::size_t slash = text.find('/');
  if (colon == std::string_view::npos || slash == std::string_view::npos || slash < colon) return bad();
  const auto file_system = file_system_of(text.substr(0, colon));
  const auto clients = to_number<std::size_t>(text.substr(colon + 1, slash - colon - 1));
  const auto servers = to_number<std::size_t>(text.substr(slash + 1));
  if (!file_system || !clients || !servers) return bad();
  if (*clients < 1 || *servers < 3 || *clients > kMostHosts || *servers > kMostHosts) return bad();
  ClusterSpec cluster = cluster_of(*file_system);
  cluster.clients = *clients;
  cluster.servers = *servers;
  return cluster;
}

template <typename Item, typename Find>
Status choose(const char* option, const std::string& text, std::vector<Item>& items, const Find& find) {
  if (text.empty()) return {};
  items.clear();
  for (const std::string_view name : split(text, ',')) {
    const auto item = find(trim(name));
    if (!item) return fail(ErrorCode::kBadUse, option, fmt::format("'{}' is unknown", name));
    items.push_back(*item);
  }
  return {};
}

Result<CampaignSpec> campaign_of(const CampaignOptions& options, std::string_view cluster_text) {
  auto cluster = parse_cluster(cluster_text);
  if (!cluster) return forward(cluster);
  cluster->hardware_seed = options.hardware_seed;
  if (Status set = apply(options.physics, *cluster); !set) return forward(set);
  // CLI11's check for positive numbers lets NaN through.
  for (const double speed : {options.disk_speed, options.network_speed}) {
    if (!(speed <= 1000)) {
      return fail(ErrorCode::kBadUse, "--disk-speed, --network-speed", "must be numbers from 0 to 1000");
    }
  }
  cluster->disk.outer_bytes_per_second *= options.disk_speed;
  cluster->disk.inner_bytes_per_second *= options.disk_speed;
  cluster->network.bytes_per_second *= options.network_speed;
  CampaignSpec spec = whole_campaign(*cluster);
  spec.iterations = options.iterations;
  spec.training_iterations = options.training;
  spec.first_seed = options.seed;
  spec.seed_step = options.seed_step;
  Status chosen = choose("--workloads", options.workloads, spec.workloads, workload_of);
  if (!chosen) return forward(chosen);
  chosen = choose("--faults", options.faults, spec.faults, simulated_fault_of);
  if (!chosen) return forward(chosen);
  return spec;
}

std::string runs_text(const std::vector<CampaignRun>& runs, const std::vector<MethodSpec>& methods) {
  std::string text;
  for (const CampaignRun& run : runs) {
    text += fmt::format("{} {} {} seed {}\n", run.truth.workload, run.truth.fault, run.truth.faulty_server,
                        run.truth.seed);
    for (std::size_t m = 0; m < methods.size(); ++m) {
      std::string said;
      for (const Accusation& accusation : run.judgements[m].accusations) {
        said += fmt::format(" {} {},", accusation.server, accusation.cause);
      }
      if (run.judgements[m].accusations.empty()) said += " nobody,";
      said += run.judgements[m].flags.empty() ? " nothing flagged" : " from";
      for (const Flag& flag : run.judgements[m].flags) {
        said += fmt::format(" {}/{} {:.1f}", flag.server, flag.metric, flag.score);
      }
      text += fmt::format("  {}:{}\n", methods[m].name, said);
    }
  }
  return text + "\n";
}

Status campaign(const CampaignOptions& options) {
  if (Status safe = check(options.output); !safe) return safe;
  const std::vector<MethodSpec> methods =
      options.sweep ? sensitivity_sweep()
                    : std::vector{one_client_method(), paper_method(), laggard_method(), untrained_method()};
  std::vector<CampaignSpec> specs;
  for (const std::string_view text : split(options.clusters, ',')) {
    auto spec = campaign_of(options, trim(text));
    if (!spec) return forward(spec);
    specs.push_back(std::move(*spec));
  }
  SystemClock clock;
  cmd::Progress progress("simulating", clock);
  std::vector<ClusterResults> results;
  for (std::size_t c = 0; c < specs.size(); ++c) {
    const auto show = [&](std::size_t done, std::size_t all) {
      const double here = static_cast<double>(done) / static_cast<double>(all);
      progress.update((static_cast<double>(c) + here) / static_cast<double>(specs.size()),
                      fmt::format("cluster {} of {}, run {} of {}", c + 1, specs.size(), done, all));
    };
    auto runs = run_campaign(specs[c], methods, options.threads, show);
    if (!runs) return forward(runs);
    progress.clear();
    if (options.runs) {
      if (Status printed = cmd::print(runs_text(*runs, methods)); !printed) return printed;
    }
    results.push_back(summarize(*runs, methods));
  }
  progress.clear();
  return put_out(options.output, results, options.sweep);
}

}  // namespace

void add_campaign_command(CLI::App& app, cmd::Context& context) {
  auto options = std::make_shared<CampaignOptions>();
  CLI::App* command = app.add_subcommand("campaign", "Simulate every fault with every workload, and score");
  command->add_option("--clusters", options->clusters, "FS:CLIENTS/SERVERS,…; else F's four")
      ->type_name("C,...");
  command->add_option("--workloads", options->workloads, "Only these; else ddw,ddr,iozonew,iozoner,postmark")
      ->type_name("W,...");
  command->add_option("--faults", options->faults, "Only these; else none and F's six")->type_name("F,...");
  const auto number = [&](const char* name, auto& value, const char* help) {
    command->add_option(name, value, help)->check(CLI::PositiveNumber)->type_name("N")->capture_default_str();
  };
  number("--iterations", options->iterations, "Runs of each pair of fault and workload");
  number("--training", options->training, "Fault-free runs of ddr, ddw and postmark each, to train on");
  number("--seed", options->seed, "First seed of the runs");
  number("--seed-step", options->seed_step, "From one run's seed to the next: 2 takes odd or even ones only");
  number("--hardware-seed", options->hardware_seed, "Of the machines");
  number("--disk-speed", options->disk_speed, "Disks so many times as fast as F's");
  number("--network-speed", options->network_speed, "Network so many times as fast as F's");
  command->add_option("--threads", options->threads, "Runs at a time")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  command->add_flag("--sweep", options->sweep, "The paper's method with F §11.2's ranges of every constant");
  command->add_flag("--runs", options->runs, "Also what was said about every run");
  add_cluster_parameters(*command, options->physics);
  add_score_output(*command, options->output);
  command->footer("Example:\n  laggard-lab campaign --clusters pvfs:10/10 --iterations 2 --html score.html");
  command->callback([options, &context] {
    if (Status done = campaign(*options); !done)
      context.status = cmd::report_error(done.error(), context.program);
  });
}

}  // namespace laggard::lab
