#include "lab/bench/event_recorders.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <csignal>
#include <map>
#include <string>
#include <vector>

#include "base/file.h"
#include "lab/bench/file_system.h"
#include "lab/bench/truth.h"

namespace laggard::lab::bench {

namespace {

using Words = std::vector<std::string>;
/// What the recorder of each host is told besides, by host.
using OptionsOfHosts = std::map<std::string, Words>;

using ProcessesOfHosts = std::map<std::string, std::vector<int>>;

void add(ProcessesOfHosts& to, const std::vector<HostProcess>& more) {
  for (const HostProcess& one : more) to[one.host].push_back(one.process);
}

Result<OptionsOfHosts> of_syscalls(Bench& bench, const RunningWorkload& workload,
                                   const std::filesystem::path& out) {
  ProcessesOfHosts by_host;
  add(by_host, bench.daemons());
  add(by_host, workload.processes());
  // What they count as storage and as requests.
  const std::filesystem::path system = out / "system.toml";
  if (Status written = write_file(system, system_toml(bench.site().layout(), bench.loops())); !written)
    return forward(written);
  OptionsOfHosts recorders;
  for (const auto& [host, processes] : by_host) {
    recorders[host] = {"--system", system, "--pid", fmt::format("{}", fmt::join(processes, ","))};
  }
  return recorders;
}

Result<OptionsOfHosts> of_samples(Bench& bench) {
  // A server of the bench uses some hundredths of a processor, and a rogue program on it less.
  constexpr const char* kFrequency = "999";
  Site& site = bench.site();
  OptionsOfHosts recorders;
  for (std::size_t i = 1; i <= site.layout().servers; ++i) {
    const auto group = work_group(site.machine(), site.layout(), i);
    if (!group) {
      return fail(
          ErrorCode::kUnavailable, "--samples",
          "this machine has no control groups of version 2 beside those of version 1, by which servers are "
          "told apart");
    }
    recorders[site.layout().server(i)] = {"--cgroup", *group, "--frequency", kFrequency};
  }
  return recorders;
}

OptionsOfHosts of_calls(Bench& bench) {
  ProcessesOfHosts by_host;
  add(by_host, bench.daemons());
  OptionsOfHosts recorders;
  const Layout& layout = bench.site().layout();
  for (std::size_t i = 1; i <= layout.servers; ++i) {
    const std::string host = layout.server(i);
    recorders[host] = {"--pid", fmt::format("{}", fmt::join(by_host[host], ","))};
  }
  return recorders;
}

/// What it records by itself.
OptionsOfHosts of_kernel(Bench& bench) {
  OptionsOfHosts recorders;
  const Layout& layout = bench.site().layout();
  for (std::size_t i = 1; i <= layout.servers; ++i) recorders[layout.server(i)] = {};
  return recorders;
}

/// Files below the folder `@3` lie on the third server alone.
Result<OptionsOfHosts> of_pings(Bench& bench) {
  // A run has minutes, and production hours. Under load, small synchronous writes wait for seconds for disks
  // that move 3 MB/s.
  constexpr const char* kInterval = "10s";
  constexpr const char* kPatience = "5s";
  Machine& machine = bench.site().machine();
  const Layout& layout = bench.site().layout();
  OptionsOfHosts recorders;
  for (std::size_t c = 1; c <= layout.clients; ++c) {
    if (Status mounted = mount_for_probes(bench.site(), bench.programs().striped_files, c); !mounted)
      return forward(mounted);
    Words targets;
    for (std::size_t i = 1; i <= layout.servers; ++i) {
      const std::filesystem::path folder = layout.probe_mount(c) / fmt::format("@{}", i) / layout.client(c);
      if (Status made = machine.make_folder(folder); !made) return forward(made);
      targets.push_back(fmt::format("{}/{}={}", layout.server(i), bench.loops()[i - 1], folder.native()));
    }
    recorders[layout.client(c)] = {"--interval", kInterval,  "--slo",
                                   kPatience,    "--target", fmt::format("{}", fmt::join(targets, ","))};
  }
  return recorders;
}

OptionsOfHosts of_logs(Bench& bench) {
  const Layout& layout = bench.site().layout();
  std::map<std::string, Words> files;
  const auto add_files = [&](const std::string& host, std::string_view daemon) {
    for (const std::string_view program : {std::string_view{"start"}, daemon}) {
      const std::filesystem::path file = layout.logs() / fmt::format("{}-{}.log", program, host);
      if (bench.site().machine().exists(file)) files[host].push_back(file);
    }
  };
  const bool ceph = layout.file_system == FileSystem::kCeph;
  for (std::size_t i = 1; i <= layout.servers; ++i)
    add_files(layout.server(i), ceph ? "ceph-osd" : "glusterfsd");
  for (std::size_t c = 1; c <= layout.clients; ++c)
    add_files(layout.client(c), ceph ? "ceph-fuse" : "glusterfs");
  OptionsOfHosts recorders;
  for (const auto& [host, of_host] : files) {
    recorders[host] = {"--file", fmt::format("{}", fmt::join(of_host, ","))};
  }
  return recorders;
}

Result<OptionsOfHosts> recorders_of(Witness witness, Bench& bench, const RunningWorkload& workload,
                                    const std::filesystem::path& out) {
  switch (witness) {
    case Witness::kSyscalls:
      return of_syscalls(bench, workload, out);
    case Witness::kSamples:
      return of_samples(bench);
    case Witness::kCalls:
      return of_calls(bench);
    case Witness::kKernel:
      return of_kernel(bench);
    case Witness::kPings:
      return of_pings(bench);
    case Witness::kLogs:
      break;
  }
  return of_logs(bench);
}

struct Description {
  std::string_view name;
  std::string_view help;
};

constexpr std::array<Description, kWitnesses.size()> kDescriptions{{
    {"syscalls", "Record the system calls of daemons and workload, too"},
    {"samples", "Record where the processors' time of each server goes, function by function"},
    {"calls", "Record how often functions of the striped service are called"},
    {"kernel", "Record what each server's kernel sends again"},
    {"pings", "Probe each server of the striped service from each client"},
    {"logs", "Record the logs of the file system's programs"},
}};

}  // namespace

std::string_view to_name(Witness witness) { return kDescriptions[static_cast<std::size_t>(witness)].name; }
std::string_view help_of(Witness witness) { return kDescriptions[static_cast<std::size_t>(witness)].help; }

EventRecorders::EventRecorders(Site& site, Witness witness)
    : witness_(witness), programs_(site, {.signal = SIGTERM, .patience = std::chrono::seconds(20)}) {}

Result<EventRecorders> EventRecorders::start(Witness witness, Bench& bench, const RunningWorkload& workload,
                                             const std::filesystem::path& out) {
  auto wanted = recorders_of(witness, bench, workload, out);
  if (!wanted) return forward(wanted);
  const std::string name(to_name(witness));
  EventRecorders recorders(bench.site(), witness);
  for (const auto& [host, options] : *wanted) {
    Command record{{bench.programs().laggard, "record", name, "--out", out, "--host", host}, {}};
    record.argv.insert(record.argv.end(), options.begin(), options.end());
    const std::string log = fmt::format("{}-{}", name, host);
    if (Status started = recorders.programs_.start(host, urgent(std::move(record)), log); !started)
      return forward(started);
  }
  return recorders;
}

}  // namespace laggard::lab::bench
