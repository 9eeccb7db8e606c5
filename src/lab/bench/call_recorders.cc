#include "lab/bench/call_recorders.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <csignal>
#include <map>
#include <string>

#include "base/file.h"
#include "lab/bench/truth.h"

namespace laggard::lab::bench {

CallRecorders::CallRecorders(Site& site)
    : programs_(site, {.signal = SIGTERM, .patience = std::chrono::seconds(20)}) {}

Result<CallRecorders> CallRecorders::start(Bench& bench, const RunningWorkload& workload,
                                           const std::filesystem::path& out) {
  std::map<std::string, std::vector<int>> by_host;
  for (const HostProcess& one : bench.daemons()) by_host[one.host].push_back(one.process);
  for (const HostProcess& one : workload.processes()) by_host[one.host].push_back(one.process);
  // What they count as storage and as requests.
  const std::filesystem::path system = out / "system.toml";
  if (Status written = write_file(system, system_toml(bench.site().layout(), bench.loops())); !written)
    return forward(written);
  CallRecorders recorders(bench.site());
  for (const auto& [host, processes] : by_host) {
    const Command record{{bench.programs().laggard, "record", "syscalls", "--out", out, "--host", host,
                          "--system", system, "--pid", fmt::format("{}", fmt::join(processes, ","))},
                         {}};
    Status started = recorders.programs_.start(host, urgent(record), "calls-" + host);
    if (!started) return forward(started);
  }
  return recorders;
}

}  // namespace laggard::lab::bench
