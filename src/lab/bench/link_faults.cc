#include <fmt/format.h>

#include <initializer_list>
#include <optional>

#include "lab/bench/planners.h"

namespace laggard::lab::bench {

namespace {

/// Drops arriving packets by chance. \param table  of its own, because several faults may be on one host
/// \param match  which packets
Command drop(const std::string& table, const std::string& match, double loss) {
  constexpr double kOf = 1000;
  return {{"nft", fmt::format("table ip {} {{ chain lossy {{ type filter hook input priority 0; {} numgen "
                              "random mod {:.0f} < {:.0f} counter drop; }}; }}",
                              table, match, kOf, kOf * loss)},
          {}};
}

Command accept_all(const std::string& table) { return {{"nft", "delete table ip " + table}, {}}; }

/// The rate of a server's port, times a factor.
double port_rate(const Victim& victim, double factor) {
  return factor * static_cast<double>(victim.layout().network_megabits);
}

void slow_down(const Victim& victim, const std::string& host, const std::string& device, FaultPlan& plan) {
  plan.begin.push_back({host, change_limit(device, port_rate(victim, victim.value("rate")))});
  plan.end.push_back({host, change_limit(device, port_rate(victim, 1))});
}

Command link(std::initializer_list<std::string> words) {
  std::vector<std::string> argv{"ip", "link", "set"};
  argv.insert(argv.end(), words.begin(), words.end());
  return {std::move(argv), {}};
}

/// A parameter of a fault that may not have it.
std::optional<double> perhaps(const Victim& victim, std::string_view name) {
  for (const FaultParameter& parameter : about(victim.fault.kind).parameters) {
    if (parameter.name == name) return victim.value(name);
  }
  return std::nullopt;
}

}  // namespace

FaultPlan receive_loss(const Victim& victim) {
  FaultPlan plan;
  plan.begin = {{victim.server(), drop("laggard", "iif eth0", victim.value("loss"))}};
  plan.end = {{victim.server(), accept_all("laggard")}};
  return plan;
}

FaultPlan send_loss(const Victim& victim) {
  FaultPlan plan;
  const Layout& layout = victim.layout();
  const std::string table = "from_" + victim.server();
  const std::string match = "ip saddr " + layout.server_address(victim.number);
  for (std::size_t i = 1; i <= layout.clients; ++i) {
    plan.begin.push_back({layout.client(i), drop(table, match, victim.value("loss"))});
    plan.end.push_back({layout.client(i), accept_all(table)});
  }
  return plan;
}

FaultPlan link_rate_in(const Victim& victim) {
  FaultPlan plan;
  slow_down(victim, kBridge, port_of(victim.server()), plan);
  return plan;
}

FaultPlan link_rate_out(const Victim& victim) {
  FaultPlan plan;
  slow_down(victim, victim.server(), "eth0", plan);
  return plan;
}

FaultPlan link_rate(const Victim& victim) {
  FaultPlan plan;
  slow_down(victim, kBridge, port_of(victim.server()), plan);
  slow_down(victim, victim.server(), "eth0", plan);
  return plan;
}

FaultPlan sick_cable(const Victim& victim) {
  FaultPlan plan;
  const std::string port = port_of(victim.server());
  const char* to = victim.layout().is_on_second_switch(victim.number) ? kSecondSwitch : kFirstSwitch;
  std::vector<std::string> argv{victim.site.modelled_cable, port, "--bridge", to};
  for (const char* name : {"delay", "jitter", "corrupted", "duplicated"}) {
    const std::optional<double> value = perhaps(victim, name);
    if (!value) continue;
    argv.push_back(fmt::format("--{}", name));
    argv.push_back(fmt::format("{}", *value));
  }
  // The port leaves the bridge, and the program takes its place.
  plan.prepare = {{kBridge, link({port, "nomaster"})}};
  plan.programs = {{kBridge, {std::move(argv), {}}}};
  plan.end = {{kBridge, link({port, "master", to})}};
  return plan;
}

FaultPlan link_flap(const Victim& victim) {
  FaultPlan plan;
  const std::string port = port_of(victim.server());
  const double down = victim.value("down");
  plan.programs = {
      {kBridge,
       shell(fmt::format("while ip link set {0} down && sleep {1} && ip link set {0} up && sleep {2}; "
                         "do :; done",
                         port, down, victim.value("every") - down))}};
  plan.end = {{kBridge, link({port, "up"})}};
  return plan;
}

FaultPlan link_mtu(const Victim& victim) {
  FaultPlan plan;
  const Layout& layout = victim.layout();
  const std::string mtu = fmt::format("{:.0f}", victim.value("mtu"));
  const auto both_ways = [&](const std::string& host, const std::string& to) {
    plan.begin.push_back({host, {{"ip", "route", "add", to + "/32", "dev", "eth0", "mtu", "lock", mtu}, {}}});
    plan.end.push_back({host, {{"ip", "route", "del", to + "/32", "dev", "eth0"}, {}}});
  };
  for (std::size_t i = 1; i <= layout.clients; ++i) {
    both_ways(layout.client(i), layout.server_address(victim.number));
    both_ways(victim.server(), layout.client_address(i));
  }
  return plan;
}

FaultPlan switch_rate(const Victim& victim) {
  FaultPlan plan;
  const double rate =
      port_rate(victim, victim.value("rate")) * static_cast<double>(victim.layout().on_second_switch());
  for (const char* end : {kTrunkFirst, kTrunkSecond}) {
    plan.begin.push_back({kBridge, limit_device(end, rate)});
    plan.end.push_back({kBridge, unlimit_device(end)});
  }
  return plan;
}

FaultPlan switch_loss(const Victim& victim) {
  FaultPlan plan;
  plan.begin = {
      {kBridge,
       {{"nft", fmt::format("table bridge laggard {{ chain lossy {{ type filter hook forward priority 0; iif "
                            "{{ {}, {} }} numgen random mod 1000 < {:.0f} counter drop; }}; }}",
                            kTrunkFirst, kTrunkSecond, 1000 * victim.value("loss"))},
        {}}}};
  plan.end = {{kBridge, {{"nft", "delete table bridge laggard"}, {}}}};
  return plan;
}

FaultPlan slow_client(const Victim& victim) {
  FaultPlan plan;
  const double rate = port_rate(victim, victim.value("rate"));
  const std::string port = port_of(victim.client());
  plan.begin = {{victim.client(), limit_device("eth0", rate)}, {kBridge, limit_device(port, rate)}};
  plan.end = {{victim.client(), unlimit_device("eth0")}, {kBridge, unlimit_device(port)}};
  return plan;
}

}  // namespace laggard::lab::bench
