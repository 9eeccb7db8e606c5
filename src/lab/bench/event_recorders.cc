#include "lab/bench/event_recorders.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <csignal>
#include <map>
#include <string>

#include "base/file.h"
#include "lab/bench/truth.h"

namespace laggard::lab::bench {

EventRecorders::EventRecorders(Site& site, std::string what)
    : programs_(site, {.signal = SIGTERM, .patience = std::chrono::seconds(20)}), what_(std::move(what)) {}

Result<EventRecorders> EventRecorders::of_calls(Bench& bench, const RunningWorkload& workload,
                                                const std::filesystem::path& out) {
  std::map<std::string, std::vector<int>> by_host;
  for (const HostProcess& one : bench.daemons()) by_host[one.host].push_back(one.process);
  for (const HostProcess& one : workload.processes()) by_host[one.host].push_back(one.process);
  // What they count as storage and as requests.
  const std::filesystem::path system = out / "system.toml";
  if (Status written = write_file(system, system_toml(bench.site().layout(), bench.loops())); !written)
    return forward(written);
  EventRecorders recorders(bench.site(), "system calls");
  for (const auto& [host, processes] : by_host) {
    const Command record{{bench.programs().laggard, "record", "syscalls", "--out", out, "--host", host,
                          "--system", system, "--pid", fmt::format("{}", fmt::join(processes, ","))},
                         {}};
    Status started = recorders.programs_.start(host, urgent(record), "calls-" + host);
    if (!started) return forward(started);
  }
  return recorders;
}

/// A server of the bench uses some hundredths of a processor, and a rogue program on it less.
constexpr const char* kFrequency = "999";

Result<EventRecorders> EventRecorders::of_samples(Bench& bench, const std::filesystem::path& out) {
  Site& site = bench.site();
  EventRecorders recorders(site, "samples");
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
    if (Status started = recorders.programs_.start(host, urgent(record), "samples-" + host); !started)
      return forward(started);
  }
  return recorders;
}

}  // namespace laggard::lab::bench
