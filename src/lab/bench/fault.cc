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

/// Reads the same from below the block device, whose counters do not see it, as another user of shared
/// storage would.
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

namespace {

std::string unix_seconds(const std::optional<WallTime>& t) {
  if (!t) return "null";
  const std::int64_t ns = to_unix_ns(*t);
  return fmt::format("{}.{:06}", ns / 1'000'000'000, ns % 1'000'000'000 / 1000);
}

/// Members `"name": "value"` for 1 .. n.
template <typename Name, typename Value>
std::string members(std::size_t n, const Name& name, const Value& value) {
  std::string text;
  for (std::size_t i = 1; i <= n; ++i) {
    text += fmt::format("{}\n  \"{}\": \"{}\"", i == 1 ? "" : ",", name(i), value(i));
  }
  return text;
}

}  // namespace

std::string truth_json(const Layout& layout, const Truth& truth) {
  const bool sick = truth.fault != FaultKind::kNone;
  const auto server = [&](std::size_t i) { return layout.server(i); };
  const auto client = [&](std::size_t i) { return layout.client(i); };
  std::string text = "{\n";
  text += fmt::format(" \"workload\": \"{}\",\n \"fault\": \"{}\",\n", to_name(truth.workload),
                      to_name(truth.fault));
  text += fmt::format(" \"faulty_server\": {},\n",
                      sick ? "\"" + layout.server(truth.server) + "\"" : std::string("null"));
  text += fmt::format(" \"fault_start\": {},\n \"fault_stop\": {},\n", unix_seconds(truth.fault_start),
                      unix_seconds(truth.fault_stop));
  text += fmt::format(" \"workload_start\": {},\n \"workload_stop\": {},\n",
                      unix_seconds(truth.workload_start), unix_seconds(truth.workload_stop));
  text += fmt::format(" \"file_system\": \"glusterfs\",\n \"clients\": {},\n \"servers\": {},\n",
                      layout.clients, layout.servers);
  text += fmt::format(" \"disk_megabytes_per_second\": {},\n \"network_megabits\": {},\n",
                      layout.disk_megabytes_per_second, layout.network_megabits);
  text += fmt::format(" \"cpu_busy\": {},\n \"kernel\": \"{}\",\n",
                      truth.cpu_busy ? fmt::format("{:.3f}", *truth.cpu_busy) : "null", truth.kernel);
  text += fmt::format(" \"device\": {{{}\n }},\n",
                      members(truth.loops.size(), server, [&](std::size_t i) { return truth.loops[i - 1]; }));
  text +=
      fmt::format(" \"server_ip\": {{{}\n }},\n",
                  members(layout.servers, server, [&](std::size_t i) { return layout.server_address(i); }));
  text +=
      fmt::format(" \"client_ip\": {{{}\n }}\n",
                  members(layout.clients, client, [&](std::size_t i) { return layout.client_address(i); }));
  return text + "}\n";
}

std::string system_toml(const Layout& layout, const std::vector<std::string>& loops) {
  std::string text = "# The bench: GlusterFS on one machine.\nname = \"bench\"\n";
  for (std::size_t i = 1; i <= loops.size(); ++i) {
    text += fmt::format("\n[[servers]]\nname = \"{}\"\naddress = \"{}\"\ndevice = \"{}\"\n", layout.server(i),
                        layout.server_address(i), loops[i - 1]);
  }
  for (std::size_t i = 1; i <= layout.clients; ++i) {
    text += fmt::format("\n[[clients]]\nname = \"{}\"\naddress = \"{}\"\n", layout.client(i),
                        layout.client_address(i));
  }
  return text;
}

}  // namespace laggard::lab::bench
