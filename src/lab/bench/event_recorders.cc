#include "lab/bench/event_recorders.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <csignal>
#include <map>
#include <string>

#include "base/file.h"
#include "lab/bench/truth.h"

namespace laggard::lab::bench {

namespace {

using ProcessesOfHosts = std::map<std::string, std::vector<int>>;

void add(ProcessesOfHosts& to, const std::vector<HostProcess>& more) {
  for (const HostProcess& one : more) to[one.host].push_back(one.process);
}

}  // namespace

std::string_view to_name(Witness witness) {
  if (witness == Witness::kSyscalls) return "syscalls";
  return witness == Witness::kSamples ? "samples" : "calls";
}

EventRecorders::EventRecorders(Site& site, Witness witness)
    : witness_(witness), programs_(site, {.signal = SIGTERM, .patience = std::chrono::seconds(20)}) {}

Status EventRecorders::start_syscalls(Bench& bench, const RunningWorkload& workload,
                                      const std::filesystem::path& out) {
  ProcessesOfHosts by_host;
  add(by_host, bench.daemons());
  add(by_host, workload.processes());
  // What they count as storage and as requests.
  const std::filesystem::path system = out / "system.toml";
  if (Status written = write_file(system, system_toml(bench.site().layout(), bench.loops())); !written)
    return written;
  for (const auto& [host, processes] : by_host) {
    const Command record{{bench.programs().laggard, "record", "syscalls", "--out", out, "--host", host,
                          "--system", system, "--pid", fmt::format("{}", fmt::join(processes, ","))},
                         {}};
    if (Status started = programs_.start(host, urgent(record), "syscalls-" + host); !started) return started;
  }
  return {};
}

Status EventRecorders::start_samples(Bench& bench, const std::filesystem::path& out) {
  // A server of the bench uses some hundredths of a processor, and a rogue program on it less.
  constexpr const char* kFrequency = "999";
  Site& site = bench.site();
  for (std::size_t i = 1; i <= site.layout().servers; ++i) {
    const auto group = work_group(site.machine(), site.layout(), i);
    if (!group) {
      return fail(
          ErrorCode::kUnavailable, "--samples",
          "this machine has no control groups of version 2 beside those of version 1, by which servers are "
          "told apart");
    }
    const std::string host = site.layout().server(i);
    const Command record{{bench.programs().laggard, "record", "samples", "--out", out, "--host", host,
                          "--cgroup", *group, "--frequency", kFrequency},
                         {}};
    if (Status started = programs_.start(host, urgent(record), "samples-" + host); !started) return started;
  }
  return {};
}

Status EventRecorders::start_calls(Bench& bench, const std::filesystem::path& out) {
  ProcessesOfHosts by_host;
  add(by_host, bench.daemons());
  for (std::size_t i = 1; i <= bench.site().layout().servers; ++i) {
    const std::string host = bench.site().layout().server(i);
    const Command record{{bench.programs().laggard, "record", "calls", "--out", out / "calls", "--host", host,
                          "--pid", fmt::format("{}", fmt::join(by_host[host], ","))},
                         {}};
    if (Status started = programs_.start(host, urgent(record), "calls-" + host); !started) return started;
  }
  return {};
}

Result<EventRecorders> EventRecorders::start(Witness witness, Bench& bench, const RunningWorkload& workload,
                                             const std::filesystem::path& out) {
  EventRecorders recorders(bench.site(), witness);
  Status started;
  if (witness == Witness::kSyscalls) started = recorders.start_syscalls(bench, workload, out);
  if (witness == Witness::kSamples) started = recorders.start_samples(bench, out);
  if (witness == Witness::kCalls) started = recorders.start_calls(bench, out);
  if (!started) return forward(started);
  return recorders;
}

}  // namespace laggard::lab::bench
