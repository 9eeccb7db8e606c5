#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <memory>
#include <string>

#include "base/text.h"
#include "cmd/output.h"
#include "cmd/shared_options.h"
#include "lab/cluster/recorder.h"
#include "lab/cmd/cluster_parameters.h"
#include "lab/cmd/commands.h"
#include "lab/cmd/run_folder.h"
#include "lab/cmd/simulate_scale.h"

namespace laggard::lab {

namespace {

struct SimulateOptions {
  std::string file_system = "pvfs";
  std::string workload = "ddw";
  std::string fault = "none";
  std::string out;
  std::string duration = "600s";
  std::string fault_from = "120s";
  std::string fault_to = "420s";
  std::size_t servers = 10;
  std::size_t clients = 10;
  std::size_t faulty_server = 0;
  std::uint64_t seed = 1;
  std::uint64_t hardware_seed = 1;
  ClusterParameters physics;
};

constexpr std::uint64_t kPlaces = 100'000;

Result<Duration> seconds_option(const char* option, const std::string& text) {
  return cmd::duration_option(option, text, Duration::zero(), std::chrono::hours(24));
}

Status check_counts(const SimulateOptions& options) {
  if (options.servers < 1 || options.clients < 1 || options.servers > kMostHosts ||
      options.clients > kMostHosts) {
    return fail(ErrorCode::kBadUse, "--servers",
                fmt::format("servers and clients are between 1 and {}", kMostHosts));
  }
  if (options.faulty_server > options.servers) {
    return fail(ErrorCode::kBadUse, "--faulty-server",
                fmt::format("there are {} servers, beginning with 1", options.servers));
  }
  return {};
}

Result<RunSpec> run_spec(const SimulateOptions& options) {
  RunSpec run;
  run.workload = *workload_of(options.workload);
  const std::optional<SizedFault> fault = sized_fault_of(options.fault);
  if (!fault || about(fault->kind).made_by != MadeBy::kBoth) {
    return fail(ErrorCode::kBadUse, "--fault",
                fmt::format("\"{}\" is none of {}, with :mild, :medium or :strong behind it", options.fault,
                            fmt::join(simulated_fault_names(), ", ")));
  }
  run.fault = fault->kind;
  run.strength = fault->strength;
  run.seed = options.seed;
  // Runs with different options are at different times, so that several can be trained on together.
  const auto kind = run.fault.row() * kPaperWorkloads + static_cast<std::uint64_t>(run.workload);
  const std::uint64_t place = (options.seed * kPaperWorkloads * kPaperFaults + kind) % kPlaces;
  run.start = start_of_run(place);
  // As in F §8, every iteration has another faulty server.
  run.faulty_server =
      (options.faulty_server > 0 ? options.faulty_server - 1 : options.seed - 1) % options.servers;
  auto duration = seconds_option("--duration", options.duration);
  if (!duration) return forward(duration);
  run.duration = *duration;
  auto from = seconds_option("--fault-from", options.fault_from);
  if (!from) return forward(from);
  run.fault_from = *from;
  auto to = seconds_option("--fault-to", options.fault_to);
  if (!to) return forward(to);
  run.fault_to = *to;
  if (about(run.fault).strikes == Strikes::kSwitch && options.servers < 2) {
    return fail(ErrorCode::kBadUse, "--servers",
                fmt::format("{} strikes a part of the servers, so there must be two or more", options.fault));
  }
  const bool fits = run.fault_from < run.fault_to && run.fault_to <= run.duration;
  if (run.fault != FaultKind::kNone && !fits) {
    return fail(ErrorCode::kBadUse, "--fault-from",
                "the fault must begin before it ends, and end within the run");
  }
  return run;
}

Status simulate(const SimulateOptions& options) {
  if (Status checked = check_counts(options); !checked) return checked;
  auto run = run_spec(options);
  if (!run) return forward(run);
  ClusterSpec cluster = cluster_of(*file_system_of(options.file_system));
  cluster.clients = options.clients;
  cluster.servers = options.servers;
  cluster.hardware_seed = options.hardware_seed;
  if (Status set = apply(options.physics, cluster); !set) return set;
  if (Status written = simulate_into(cluster, *run, options.out); !written) return written;
  std::string said = fmt::format("simulated {} of {} on {} {}/{}", to_text(run->duration), options.workload,
                                 options.file_system, options.clients, options.servers);
  if (run->fault != FaultKind::kNone) {
    said +=
        fmt::format(", {} at {} from {} to {}", options.fault, fmt::join(faulty_hosts(cluster, *run), ", "),
                    to_iso8601(run->start + run->lead + run->fault_from),
                    to_iso8601(run->start + run->lead + run->fault_to));
  }
  return cmd::print(fmt::format("{}: {}\n", said, options.out));
}

}  // namespace

void add_simulate_command(CLI::App& app, cmd::Context& context) {
  auto options = std::make_shared<SimulateOptions>();
  auto scale = std::make_shared<ScaleOptions>();
  CLI::App* command =
      app.add_subcommand("simulate", "Simulate a cluster with a workload and a fault, and record it");
  command->add_option("--fs", options->file_system, "pvfs or lustre")
      ->check(CLI::IsMember({"pvfs", "lustre"}))
      ->capture_default_str();
  command->add_option("--workload", options->workload, "ddw, ddr, iozonew, iozoner, postmark, mixed or idle")
      ->check(CLI::IsMember({"ddw", "ddr", "iozonew", "iozoner", "postmark", "mixed", "idle"}))
      ->capture_default_str();
  command
      ->add_option("--fault", options->fault,
                   fmt::format("{}; with :mild, :medium or :strong behind it",
                               fmt::join(simulated_fault_names(), ", ")))
      ->capture_default_str();
  command->add_option("--servers", options->servers, "File servers")->type_name("N")->capture_default_str();
  command->add_option("--clients", options->clients, "Clients")->type_name("N")->capture_default_str();
  command->add_option("--faulty-server", options->faulty_server, "Which server is sick; else by the seed")
      ->type_name("N");
  command->add_option("--seed", options->seed, "Of the run: same seed, same bytes")
      ->check(CLI::PositiveNumber)
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--hardware-seed", options->hardware_seed, "Of the machines, which are never quite equal")
      ->type_name("N")
      ->capture_default_str();
  const auto time = [&](const char* name, std::string& value, const char* help) {
    command->add_option(name, value, help)->type_name("TIME")->capture_default_str();
  };
  time("--duration", options->duration, "Length of the run");
  time("--fault-from", options->fault_from, "When the fault begins");
  time("--fault-to", options->fault_to, "When it ends");
  add_cluster_parameters(*command, options->physics);
  add_scale_options(*command, *scale);
  command
      ->add_option("-o,--out", options->out,
                   "The recording, a new folder; truth.json in it says what was wrong")
      ->required()
      ->type_name("REC");
  command->footer(
      "Example:\n  laggard-lab simulate --fs pvfs --workload ddr --fault disk-hog --seed 3 -o rec\n"
      "  laggard diagnose rec\n"
      "  laggard-lab simulate --scale intrepid --incident controller-failed -o day\n"
      "  laggard-lab simulate --scale raid --workload ddr --incident reconstruction -o rebuild");
  command->callback([options, scale, command, &context] {
    const auto given = [&](const char* name) { return command->count(name) > 0; };
    scale->out = options->out;
    scale->seed = options->seed;
    scale->workload = options->workload;
    if (scale->site == kRaidLaboratory) {
      // T §6.3's.
      scale->duration = "2h30m";
      if (!given("--interval")) scale->interval = "1s";
    }
    if (given("--duration")) scale->duration = options->duration;
    const Status done = scale->site.empty() ? simulate(*options) : simulate_scale(*scale);
    if (!done) context.status = cmd::report_error(done.error(), context.program);
  });
}

}  // namespace laggard::lab
