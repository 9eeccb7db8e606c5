#include <fmt/format.h>

#include <algorithm>

#include "lab/bench/planners.h"
#include "lab/bench/processes.h"

namespace laggard::lab::bench {

namespace {

constexpr std::size_t kHogPort = 9999;

/// Reads the unused partition again and again. \param file  a block device, or the file below it
Command read_unused(const Victim& victim, const std::string& file, std::size_t block_megabytes) {
  const Layout& layout = victim.layout();
  const double load = victim.value("load");
  const std::size_t spare = layout.disk_megabytes - layout.brick_megabytes;
  if (load >= 1) {
    return repeat(fmt::format("dd if={} of=/dev/null bs={}M iflag=direct skip={} count={} status=none", file,
                              block_megabytes, layout.brick_megabytes / block_megabytes,
                              spare / block_megabytes));
  }
  // dd knows no rate.
  const double rate = load * layout.disk_megabytes_per_second * 1e6;
  return {{"fio", "--name=hog", "--filename=" + file, "--rw=read", "--direct=1", "--ioengine=psync",
           fmt::format("--bs={}M", block_megabytes), fmt::format("--offset={}M", layout.brick_megabytes),
           fmt::format("--size={}M", spare), fmt::format("--rate={:.0f}", rate), "--time_based",
           "--runtime=1000000", "--eta=never", "--readonly"},
          {}};
}

Command listen() {
  return {{"socat", "-u", "-b", "65536", fmt::format("TCP-LISTEN:{},reuseaddr,fork", kHogPort), "/dev/null"},
          {}};
}

/// The receiver is started just before, and may not listen yet.
Command send_zeros(const std::string& address) {
  return {{"socat", "-u", "-b", "65536", "/dev/zero",
           fmt::format("TCP:{}:{},retry=100,interval=0.1", address, kHogPort)},
          {}};
}

/// A hog of less than the port's rate is limited at the third party's end of its cable.
void limit_hog(const Victim& victim, const OnHost& limit, const OnHost& unlimit, FaultPlan& plan) {
  if (victim.value("load") >= 1) return;
  plan.prepare.push_back(limit);
  plan.end.push_back(unlimit);
}

}  // namespace

FaultPlan disk_hog(const Victim& victim) {
  FaultPlan plan;
  plan.programs = {{victim.server(), read_unused(victim, "/dev/" + victim.loop(), 4)}};
  return plan;
}

FaultPlan disk_busy(const Victim& victim) {
  FaultPlan plan;
  plan.programs = {{kThirdParty, read_unused(victim, victim.layout().disk(victim.number) / "disk", 1)}};
  return plan;
}

FaultPlan write_network_hog(const Victim& victim) {
  FaultPlan plan;
  const double rate = victim.value("load") * static_cast<double>(victim.layout().network_megabits);
  plan.programs = {{victim.server(), listen()},
                   {kThirdParty, send_zeros(victim.layout().server_address(victim.number))}};
  limit_hog(victim, {kThirdParty, limit_device("eth0", rate)}, {kThirdParty, unlimit_device("eth0")}, plan);
  return plan;
}

FaultPlan read_network_hog(const Victim& victim) {
  FaultPlan plan;
  const double rate = victim.value("load") * static_cast<double>(victim.layout().network_megabits);
  const std::string port = port_of(kThirdParty);
  plan.programs = {{kThirdParty, listen()},
                   {victim.server(), send_zeros(victim.layout().third_party_address())}};
  limit_hog(victim, {kBridge, limit_device(port, rate)}, {kBridge, unlimit_device(port)}, plan);
  return plan;
}

FaultPlan metadata_neighbour(const Victim& victim) {
  FaultPlan plan;
  const auto programs = static_cast<std::size_t>(victim.value("programs"));
  std::string script;
  for (std::size_t i = 1; i <= programs; ++i) {
    // The last word of it is what its shell does.
    script += fmt::format("({}) & ", small_files(victim.layout(), victim.number, "neighbour", i).argv.back());
  }
  plan.programs = {{victim.client(), shell(script + "wait")}};
  return plan;
}

}  // namespace laggard::lab::bench
