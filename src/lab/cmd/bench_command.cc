#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>

#include "base/file.h"
#include "cmd/output.h"
#include "cmd/progress.h"
#include "cmd/shared_options.h"
#include "collect/record/clocks.h"
#include "collect/record/recorder.h"
#include "lab/bench/campaign.h"
#include "lab/bench/catalogue_text.h"
#include "lab/bench/linux_machine.h"
#include "lab/bench/machine.h"
#include "lab/bench/overhead.h"
#include "lab/cmd/commands.h"

namespace laggard::lab {

namespace {

constexpr std::uint32_t seconds_of(Duration time) {
  return static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::seconds>(time).count());
}

/// The options of the command line.
struct LabBenchOptions {
  bench::Layout layout;
  std::string file_system{to_name(bench::FileSystem::kGluster)};
  std::array<bool, bench::kWitnesses.size()> recorded{};  ///< By bench::Witness.
  std::string workload = "ddw";
  std::string fault = "none";
  std::string server = "1";
  std::uint32_t seconds = 270;
  std::uint32_t fault_after = 60;
  std::uint32_t fault_seconds = 180;
  std::string out;
  std::string runs;
  std::string campaign;
  std::uint64_t seed = 1;
  bool list = false;
  bool json = false;
  bool clean = false;
  bool overhead = false;
  std::size_t pairs = bench::OverheadSpec{}.pairs;
  std::uint32_t block_seconds = seconds_of(bench::OverheadSpec{}.block);
  std::string interval = "1s";
};

Result<bench::Programs> find_programs() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return fail_errno(error.value(), "/proc/self/exe", "cannot be read");
  const std::filesystem::path recorder = self.parent_path() / "laggard";
  if (!std::filesystem::exists(recorder, error)) {
    return fail(ErrorCode::kNotFound, recorder.string(), "is not there; it records what the bench does");
  }
  const std::filesystem::path disk = self.parent_path() / "laggard-modelled-disk";
  if (!std::filesystem::exists(disk, error)) {
    return fail(ErrorCode::kNotFound, disk.string(),
                "is not there; it is built where libfuse3-dev is installed");
  }
  const std::filesystem::path cable = self.parent_path() / "laggard-modelled-cable";
  if (!std::filesystem::exists(cable, error))
    return fail(ErrorCode::kNotFound, cable.string(), "is not there");
  // Built where the modelled disk is built.
  return bench::Programs{recorder, disk, cable, self.parent_path() / "laggard-striped-files"};
}

Result<bench::RunSpec> run_spec(const LabBenchOptions& options) {
  bench::RunSpec run;
  const std::optional<Workload> workload = workload_of(options.workload);
  if (!workload) return fail(ErrorCode::kBadUse, "--workload", "no such workload");
  Result<std::vector<bench::FaultPlace>> faults = bench::parse_faults(options.fault, options.server);
  if (!faults) return fail(ErrorCode::kBadUse, "--fault, --server", faults.error().what);
  run.workload = *workload;
  run.faults = std::move(*faults);
  run.total = std::chrono::seconds(options.seconds);
  run.fault_after = std::chrono::seconds(options.fault_after);
  run.fault_for = std::chrono::seconds(options.fault_seconds);
  return run;
}

std::vector<bench::RunSpec> named_campaign(const LabBenchOptions& options) {
  if (options.campaign == "paper") return bench::paper_campaign(options.layout);
  if (options.campaign == "syscalls") return bench::syscall_campaign(options.layout);
  return bench::catalogue_campaign(options.layout, options.seed);
}

Result<std::vector<bench::RunSpec>> campaign_runs(const LabBenchOptions& options,
                                                  const bench::RunSpec& pattern) {
  if (options.runs.empty()) {
    std::vector<bench::RunSpec> runs = named_campaign(options);
    for (bench::RunSpec& run : runs) {
      run.total = pattern.total;
      run.fault_after = pattern.fault_after;
      run.fault_for = pattern.fault_for;
    }
    return runs;
  }
  const Result<std::string> text = read_file(options.runs);
  if (!text) return tl::unexpected<Error>(text.error());
  Result<std::vector<bench::RunSpec>> runs = bench::parse_campaign(*text, pattern);
  if (!runs) return fail(runs.error().code, options.runs + ": " + runs.error().where, runs.error().what);
  return runs;
}

Status overhead(const LabBenchOptions& options, const bench::Session& session) {
  if (options.pairs < 2) return fail(ErrorCode::kBadUse, "--pairs", "two pairs of blocks are the least");
  bench::OverheadSpec spec;
  spec.workload = *workload_of(options.workload);
  spec.pairs = options.pairs;
  spec.block = std::chrono::seconds(options.block_seconds);
  const Result<Duration> interval = cmd::duration_option(
      "--interval", options.interval, collect::kShortestInterval, collect::kLongestInterval);
  if (!interval) return tl::unexpected<Error>(interval.error());
  spec.interval = *interval;
  std::error_code error;
  const std::filesystem::path out = std::filesystem::absolute(options.out, error);
  const Result<bench::Overhead> measured = bench::measure_overhead(session, spec, out);
  if (!measured) return tl::unexpected<Error>(measured.error());
  const bench::Increase more = bench::increase(measured->measured.blocks);
  Status printed = cmd::print(fmt::format(
      "{}: {:+.2f} % +- {:.2f} % of runtime ({} pairs of blocks; {} more in which the host took the "
      "processors away), {:.2f} ms of processor time per second and host\n",
      options.workload, more.percent, more.standard_error, more.pairs,
      measured->measured.blocks.size() / 2 - more.pairs, measured->recorder_ms_per_second));
  const std::filesystem::path file = out / (options.workload + ".json");
  if (Status written = write_file(file, bench::to_json(*measured)); !written) return written;
  const std::optional<Error>& end = measured->measured.ended_by;
  if (!end) return printed;
  return fail(end->code, end->where,
              fmt::format("{}; the pairs before that are in {}", end->what, file.string()));
}

Status conduct(const LabBenchOptions& options, bench::Session session) {
  if (options.out.empty()) return fail(ErrorCode::kBadUse, "--out", "say where the recordings go");
  const char* path = std::getenv("PATH");
  const bench::ToolSearch search{session.layout.file_system, path != nullptr ? path : ""};
  if (Status there = bench::check_tools(session.machine, search); !there) return there;
  Result<bench::Programs> programs = find_programs();
  if (!programs) return forward(programs);
  session.programs = std::move(*programs);
  if (options.overhead) return overhead(options, session);
  Result<bench::RunSpec> run = run_spec(options);
  if (!run) return forward(run);
  std::error_code error;
  const std::filesystem::path out = std::filesystem::absolute(options.out, error);
  if (options.campaign.empty() && options.runs.empty()) {
    return bench::run_once(session, *run, out);
  }
  Result<std::vector<bench::RunSpec>> runs = campaign_runs(options, *run);
  if (!runs) return forward(runs);
  const Result<std::size_t> failed = bench::run_campaign(session, *runs, out);
  if (!failed) return tl::unexpected<Error>(failed.error());
  if (*failed == 0) return {};
  return fail(ErrorCode::kUnavailable, options.out,
              fmt::format("{} of {} runs failed; the same command tries them again", *failed, runs->size()));
}

std::vector<bench::Witness> witnesses_of(const LabBenchOptions& options) {
  std::vector<bench::Witness> witnesses;
  for (const bench::Witness witness : bench::kWitnesses) {
    if (options.recorded[static_cast<std::size_t>(witness)]) witnesses.push_back(witness);
  }
  return witnesses;
}

Status lab_bench(const LabBenchOptions& options) {
  if (options.list) return cmd::print(options.json ? bench::catalogue_json() : bench::catalogue_table());
  if (Status possible = bench::check(options.layout); !possible) return possible;
  const std::vector<bench::Witness> witnesses = witnesses_of(options);
  const bool striped = options.layout.file_system == bench::FileSystem::kStriped;
  if (const auto one = std::ranges::find_if(witnesses, bench::is_of_striped);
      !striped && one != witnesses.end()) {
    return fail(ErrorCode::kBadUse, fmt::format("--{}", to_name(*one)),
                "needs --file-system striped, whose servers count their calls and can be probed one by one");
  }
  if (::geteuid() != 0) {
    return fail(
        ErrorCode::kNoPermission, "bench",
        "needs root: it creates network namespaces, mounts and block devices (and removes them again)");
  }
  auto clock = collect::SignalClock::make();
  if (!clock) return forward(clock);
  bench::LinuxMachine machine;
  cmd::Progress progress("bench", *clock);
  const bench::Say say = [&](const std::string& sentence) {
    progress.clear();
    std::fprintf(stderr, "laggard-lab: note: %s\n", sentence.c_str());
  };
  if (options.clean) {
    const Result<bool> any = bench::clean(machine, options.layout, say);
    if (!any) return tl::unexpected<Error>(any.error());
    return cmd::print(*any ? "everything is as it was before the bench\n"
                           : "there was nothing to take down\n");
  }
  const bench::Observer observer{
      [&](double fraction, std::string_view doing) { progress.update(fraction, doing); },
      [&] {
        clock->sleep_until(clock->mono() + std::chrono::milliseconds(1));  // Looks whether a signal came.
        return clock->stopped();
      }};
  return conduct(options, {machine, options.layout, {}, observer, say, witnesses});
}

std::vector<std::string> workloads() {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < kWorkloads; ++i) all.emplace_back(to_name(static_cast<Workload>(i)));
  return all;
}

std::vector<std::string> file_systems() {
  std::vector<std::string> all;
  all.reserve(std::size(bench::kFileSystems));
  for (const bench::FileSystem one : bench::kFileSystems) all.emplace_back(to_name(one));
  return all;
}

void add_options(CLI::App& command, LabBenchOptions& options) {
  const auto text = [&](const char* name, auto& value, const char* help, const char* type) {
    return command.add_option(name, value, help)->type_name(type)->capture_default_str();
  };
  text("--file-system", options.file_system,
       "glusterfs, striped: files of our own, as PVFS stripes, writes and fails, or ceph", "FS")
      ->check(CLI::IsMember(file_systems()));
  text("--servers", options.layout.servers, "Servers, each with a disk", "N");
  text("--clients", options.layout.clients, "Clients, each with the workload", "N");
  text("--workload", options.workload, "ddw, ddr, iozonew, iozoner, postmark, mixed, idle", "W")
      ->check(CLI::IsMember(workloads()));
  text("--fault", options.fault, "One of --list, with :mild, :medium or :strong behind it; several with +",
       "F[:S][+...]");
  text("--server", options.server,
       "The faulty ones, from 1, or clients; with several faults for each, with +", "K[,K...][+...]");
  for (const bench::Witness witness : bench::kWitnesses) {
    command.add_flag(fmt::format("--{}", to_name(witness)),
                     options.recorded[static_cast<std::size_t>(witness)], std::string(help_of(witness)));
  }
  text("--seconds", options.seconds, "Of the workload", "S");
  text("--fault-after", options.fault_after, "Seconds before the fault", "S");
  text("--fault-seconds", options.fault_seconds, "Of the fault", "S");
  command
      .add_option("-o,--out", options.out,
                  "Recording, system.toml, truth.json; a folder per run in a campaign")
      ->type_name("DIR");
  command
      .add_option(
          "--campaign", options.campaign,
          "Many runs, resumed where they were: the whole catalogue, F's six faults (paper), or S's table "
          "(syscalls)")
      ->type_name("catalogue|paper|syscalls")
      ->expected(0, 1)
      ->default_str("catalogue")
      ->check(CLI::IsMember({"catalogue", "paper", "syscalls"}));
  text("--seed", options.seed, "Of what is drawn for a campaign of the catalogue", "N");
  command.add_option("--runs", options.runs, "A campaign of your own: lines WORKLOAD FAULT SERVERS")
      ->type_name("FILE");
  command.add_flag("--list", options.list, "The catalogue of faults, and what this machine lacks for them");
  command.add_flag("--json", options.json, "With --list");
  command.add_flag("--clean", options.clean, "Take down what a killed bench has left, nothing else");
  command.add_flag("--overhead", options.overhead,
                   "What recording costs the workload: blocks with and without, in turn");
  text("--pairs", options.pairs, "With --overhead: of blocks", "N");
  text("--block-seconds", options.block_seconds, "With --overhead: of one block", "S");
  text("--interval", options.interval, "With --overhead: of the recorders", "TIME");
  text("--disk-rate", options.layout.disk_megabytes_per_second, "Of a modelled disk, MB/s", "R");
  text("--net-rate", options.layout.network_megabits, "Of a server's port, Mbit/s", "R");
  text("--name", options.layout.name, "In the names of namespaces and mounts: benches side by side", "NAME");
}

}  // namespace

void add_bench_command(CLI::App& app, cmd::Context& context) {
  auto options = std::make_shared<LabBenchOptions>();
  CLI::App* command = app.add_subcommand(
      "bench", "A real parallel file system on this machine, made sick in known ways (root)");
  add_options(*command, *options);
  command->footer(
      "Example:\n  laggard-lab bench --workload ddr --fault disk-busy --server 3 -o run\n"
      "  laggard diagnose run --system run/system.toml\n"
      "Everything it changes is restored; after a SIGKILL with: laggard-lab bench --clean");
  command->callback([options, &context] {
    options->layout.file_system = *bench::file_system_of(options->file_system);
    if (Status done = lab_bench(*options); !done)
      context.status = cmd::report_error(done.error(), context.program);
  });
}

}  // namespace laggard::lab
