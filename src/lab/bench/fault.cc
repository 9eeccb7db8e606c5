#include "lab/bench/fault.h"

#include <fmt/format.h>

#include <csignal>

namespace laggard::lab::bench {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kHogPort = 9999;
/// F §9's probability of a packet's loss.
constexpr int kLossPercent = 5;
constexpr Duration kBeforeConnecting = 300ms;

/// Reads the unused partition through the server's own block device.
Command read_partition(const Layout& layout, const std::string& loop) {
  return repeat(fmt::format("dd if=/dev/{} of=/dev/null bs=4M iflag=direct skip={} count={} status=none",
                            loop, layout.brick_megabytes / 4,
                            (layout.disk_megabytes - layout.brick_megabytes) / 4));
}

/// Reads the same from below the block device, whose counters do not see it: somebody else on shared storage.
Command read_from_below(const Layout& layout, std::size_t server) {
  return repeat(fmt::format("dd if={} of=/dev/null bs=1M iflag=direct skip={} count={} status=none",
                            (layout.disk(server) / "disk").native(), layout.brick_megabytes,
                            layout.disk_megabytes - layout.brick_megabytes));
}

Command listen() {
  return {{"socat", "-u", "-b", "65536", fmt::format("TCP-LISTEN:{},reuseaddr", kHogPort), "/dev/null"}, {}};
}

Command send_zeros(const std::string& address) {
  return {{"socat", "-u", "-b", "65536", "/dev/zero", fmt::format("TCP:{}:{}", address, kHogPort)}, {}};
}

/// Drops arriving packets; `match` says which.
Command drop(const std::string& match) {
  return {
      {"nft", fmt::format("table ip laggard {{ chain lossy {{ type filter hook input priority 0; {} numgen "
                          "random mod 100 < {} counter drop; }}; }}",
                          match, kLossPercent)},
      {}};
}

Command accept_all() { return {{"nft", "delete table ip laggard"}, {}}; }

}  // namespace

FaultPlan plan_fault(const Layout& layout, FaultKind fault, std::size_t server, const std::string& loop) {
  const std::string sick = layout.server(server);
  FaultPlan plan;
  switch (fault) {
    case FaultKind::kNone:
      break;
    case FaultKind::kDiskHog:
      plan.programs = {{sick, read_partition(layout, loop)}};
      break;
    case FaultKind::kDiskBusy:
      plan.programs = {{kThirdParty, read_from_below(layout, server)}};
      break;
    case FaultKind::kWriteNetworkHog:
      plan.programs = {{sick, listen()}, {kThirdParty, send_zeros(layout.server_address(server))}};
      break;
    case FaultKind::kReadNetworkHog:
      plan.programs = {{kThirdParty, listen()}, {sick, send_zeros(layout.third_party_address())}};
      break;
    case FaultKind::kReceiveLoss:
      plan.begin = {{sick, drop("iif eth0")}};
      plan.end = {{sick, accept_all()}};
      break;
    case FaultKind::kSendLoss:
      for (std::size_t i = 1; i <= layout.clients; ++i) {
        plan.begin.push_back({layout.client(i), drop("ip saddr " + layout.server_address(server))});
        plan.end.push_back({layout.client(i), accept_all()});
      }
      break;
  }
  return plan;
}

Result<InjectedFault> InjectedFault::inject(Site& site, FaultPlan plan) {
  InjectedFault fault(site, std::move(plan));
  Clock& clock = site.machine().clock();
  for (const OnHost& program : fault.plan_.programs) {
    if (!fault.processes_.empty()) clock.sleep_until(clock.mono() + kBeforeConnecting);
    const Result<int> process = site.start(program.host, urgent(program.command), "fault-" + program.host);
    if (!process) return tl::unexpected<Error>(process.error());
    fault.processes_.push_back(*process);
  }
  fault.begun_ = true;
  for (const OnHost& step : fault.plan_.begin) {
    Status done = site.must(inside(site.layout().network(step.host), step.command));
    if (!done) return forward(done);
  }
  return fault;
}

Status InjectedFault::check() {
  for (const int process : processes_) {
    if (!site_->machine().running(process)) {
      return fail(ErrorCode::kUnavailable, site_->layout().logs().string(),
                  "a program of the fault ended by itself; its log is there");
    }
  }
  return {};
}

Status InjectedFault::clear() {
  for (const int process : processes_) site_->machine().stop(process, SIGKILL, 0s);
  processes_.clear();
  if (!std::exchange(begun_, false)) return {};
  Status all;
  for (const OnHost& step : plan_.end) {
    const Status done = site_->must(inside(site_->layout().network(step.host), step.command));
    if (!done) all = done;
  }
  return all;
}

}  // namespace laggard::lab::bench
