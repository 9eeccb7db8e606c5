#include <fmt/format.h>
#include <unistd.h>

#include "lab/bench/planners.h"

namespace laggard::lab::bench {

namespace {

/// The file that lists the processes of a server's daemon: its group has no others.
std::string daemons(const Victim& victim) {
  return (cpu_group(victim.site.machine, victim.layout(), victim.number) / "cgroup.procs").native();
}

/// The processes of its daemon at the moment, for a shell.
std::string daemons_now(const Victim& victim) { return fmt::format("$(cat {})", daemons(victim)); }

Command write_into(const std::string& text, const std::filesystem::path& file) {
  return shell(fmt::format("echo '{}' > {}", text, file.native()));
}

}  // namespace

FaultPlan cpu_quota(const Victim& victim) {
  constexpr double kPeriodUs = 100'000;
  FaultPlan plan;
  const std::string quota = fmt::format("{:.0f}", victim.value("quota") / 100 * kPeriodUs);
  const std::filesystem::path group = cpu_group(victim.site.machine, victim.layout(), victim.number);
  if (version_1(victim.site.machine)) {
    plan.begin = {{victim.server(), write_into(quota, group / "cpu.cfs_quota_us")}};
    plan.end = {{victim.server(), write_into("-1", group / "cpu.cfs_quota_us")}};
  } else {
    plan.begin = {{victim.server(), write_into(quota + " 100000", group / "cpu.max")}};
    plan.end = {{victim.server(), write_into("max 100000", group / "cpu.max")}};
  }
  return plan;
}

FaultPlan cpu_neighbour(const Victim& victim) {
  FaultPlan plan;
  const long processors = ::sysconf(_SC_NPROCESSORS_ONLN);
  const long core = processors > 1 ? processors - 1 : 0;
  const auto pin = [&](const std::string& cores) {
    return fmt::format("for p in {}; do taskset -a -c -p {} $p; done", daemons_now(victim), cores);
  };
  plan.prepare = {{victim.server(), shell(pin(std::to_string(core)))}};
  // One program for all: several would be started one after the other. They are in the daemon's own group,
  // because whole groups share a core by their weights, however many compute in them; and at a higher
  // priority than it, because the scheduler prefers whoever wants little.
  plan.programs = {
      {victim.server(),
       {{"nice", "-n", "-5", "taskset", "-c", std::to_string(core), "sh", "-c",
         fmt::format("echo $$ > {} && for i in $(seq {:.0f}); do while :; do :; done & done; wait",
                     daemons(victim), victim.value("programs"))},
        {}}}};
  plan.end = {{victim.server(), shell(pin(fmt::format("0-{}", processors - 1)))}};
  return plan;
}

FaultPlan daemon_stop(const Victim& victim) {
  FaultPlan plan;
  const double stopped = victim.value("stopped");
  const std::string all = daemons_now(victim);
  plan.programs = {
      {victim.server(),
       shell(fmt::format("while kill -STOP {0} && sleep {1} && kill -CONT {0} && sleep {2}; do :; done", all,
                         stopped, victim.value("every") - stopped))}};
  plan.end = {{victim.server(), shell("kill -CONT " + all)}};
  return plan;
}

FaultPlan memory_limit(const Victim& victim) {
  FaultPlan plan;
  const Layout& layout = victim.layout();
  const std::filesystem::path group = memory_group(victim.site.machine, layout, victim.number);
  const bool old = version_1(victim.site.machine);
  const std::filesystem::path limit = group / (old ? "memory.limit_in_bytes" : "memory.max");
  const std::filesystem::path swaps = group / (old ? "memory.swappiness" : "memory.swap.max");
  const std::string swap = layout.swap_file(victim.number).native();
  const std::string host = victim.server();
  plan.provide = {
      {host, shell(fmt::format("fallocate -l 64M {0} && chmod 600 {0} && mkswap {0} && swapon {0}", swap))}};
  // A daemon that goes on writing fills its memory as fast as a slow disk empties it, and a limit of cgroups
  // of version 1 is in force only when there is no more in use: that took minutes, or never came.
  plan.begin = {
      {host, write_into(old ? "100" : "max", swaps)},
      {host, shell(fmt::format("d=\"{}\"; kill -STOP $d; echo {:.0f}M > {}; s=$?; kill -CONT $d; exit $s",
                               daemons_now(victim), victim.value("limit"), limit.native()))}};
  plan.end = {{host, write_into(fmt::format("{}M", layout.memory_megabytes()), limit)},
              {host, write_into("0", swaps)},
              {host, shell(fmt::format("swapoff {0} && rm {0}", swap))}};
  return plan;
}

FaultPlan verbose_log(const Victim& victim) {
  FaultPlan plan;
  const std::string log = (victim.layout().brick(victim.number) / "log").native();
  const double rate = victim.value("written") * victim.layout().disk_megabytes_per_second * 1e6;
  plan.programs = {{victim.server(),
                    {{"fio", "--name=log", "--filename=" + log, "--size=256M", "--rw=write", "--bs=4k",
                      "--ioengine=psync", "--fallocate=none", fmt::format("--rate={:.0f}", rate),
                      "--time_based", "--runtime=1000000", "--eta=never"},
                     {}}}};
  plan.end = {{victim.server(), {{"rm", "-f", log}, {}}}};
  return plan;
}

}  // namespace laggard::lab::bench
