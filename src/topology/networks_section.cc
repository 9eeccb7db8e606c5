#include <fmt/format.h>

#include <algorithm>

#include "topology/system_reader.h"
#include "topology/toml_section.h"

namespace laggard::topology {

/// The hosts that `key` lists, else all servers.
std::optional<std::vector<HostId>> SystemReader::network_hosts(const TomlSection& section,
                                                               std::string_view key) {
  std::vector<HostId> hosts;
  const auto text = section.text(key);
  if (!text) {
    for (std::uint32_t h = 0; h < topology().hosts.size(); ++h) {
      if (topology().hosts[h].role != HostRole::kClient) hosts.push_back(HostId{h});
    }
    return hosts;
  }
  const auto names = noted(names_.expand(text->value), text->line);
  if (!names) return std::nullopt;
  for (const std::string& name : *names) {
    const auto found = hosts_.find(name);
    if (found == hosts_.end()) {
      mistakes_.add(text->line, fmt::format("no [[servers]] or [[clients]] entry names '{}'", name));
      return std::nullopt;
    }
    hosts.push_back(found->second);
  }
  return hosts;
}

void SystemReader::read_network(const TomlSection& section) {
  section.allow_only({"name", "hosts", "interface"});
  const auto name = section.required_text("name");
  if (!section.has("interface")) mistakes_.add(section.line(), "[[networks]] needs an 'interface'");
  if (!name || !claim(name->value, "network", name->line)) return;
  const auto hosts = network_hosts(section, "hosts");
  if (!hosts) return;
  std::vector<std::string> names;
  names.reserve(hosts->size());
  for (const HostId host : *hosts) names.push_back(host_name(host));
  Network network{.name = name->value, .ports = {}, .line = name->line};
  for (const TomlText& text : section.texts("interface")) {
    const auto interfaces = noted(names_.expand_one_each(text.value, "host", names), text.line);
    if (!interfaces || !charge(hosts->size(), text.line)) return;
    for (std::size_t i = 0; i < hosts->size(); ++i) {
      if (!claim(names[i] + "/" + (*interfaces)[i], "interface", text.line)) return;
      network.ports.push_back({.host = (*hosts)[i], .interface = (*interfaces)[i]});
    }
  }
  topology().networks.push_back(std::move(network));
}

// Switches, routers and load balancers stand between clients and servers. None of them is measured, but any
// of them can be to blame for what is.

void SystemReader::read_switch(const TomlSection& section) {
  section.allow_only({"name", "ports", "uplink"});
  const auto text = section.required_text("name");
  if (!section.has("ports") && !section.has("uplink")) {
    mistakes_.add(section.line(), "[[switches]] needs 'ports' (host/interface) or an 'uplink'");
  }
  if (!text) return;
  const auto names = noted(names_.expand(text->value), text->line);
  if (!names) return;
  const std::size_t first = topology().switches.size();
  for (const std::string& name : *names) {
    if (!claim(name, "switch", text->line)) return;
    topology().switches.push_back({.name = name, .ports = {}, .uplink = {}, .line = text->line});
  }
  if (!read_switch_ports(section, *names)) return;
  const auto uplink = section.text("uplink");
  if (!uplink) return;
  const auto each = noted(names_.expand_one_each(uplink->value, "switch", *names), uplink->line);
  if (!each) return;
  for (std::size_t s = 0; s < names->size(); ++s) topology().switches[first + s].uplink = (*each)[s];
}

bool SystemReader::read_switch_ports(const TomlSection& section, const std::vector<std::string>& names) {
  const std::size_t first = topology().switches.size() - names.size();
  for (const TomlText& text : section.texts("ports")) {
    const auto each = noted(names_.expand_each(text.value, "switch", names), text.line);
    if (!each) return false;
    for (std::size_t s = 0; s < names.size(); ++s) {
      for (const std::string& port : (*each)[s]) {
        if (!add_switch_port(topology().switches[first + s], port, text.line)) return false;
      }
    }
  }
  return true;
}

bool SystemReader::add_switch_port(Switch& to, const std::string& port, std::uint32_t line) {
  const std::size_t slash = port.find('/');
  if (slash == std::string::npos || slash + 1 == port.size()) {
    mistakes_.add(line, fmt::format("'{}' is no port; write ports as host/interface", port));
    return false;
  }
  const auto host = hosts_.find(port.substr(0, slash));
  if (host == hosts_.end()) {
    mistakes_.add(line, fmt::format("'{}' is on no host of this file", port));
    return false;
  }
  if (!claim(port, "switch port", line)) return false;
  to.ports.push_back({.host = host->second, .interface = port.substr(slash + 1)});
  return true;
}

/// Checked when all switches are read: an uplink may be named before its own [[switches]] entry.
void SystemReader::check_uplinks() {
  std::vector<std::string_view> known;
  for (const Switch& each : topology().switches) known.emplace_back(each.name);
  for (const Switch& each : topology().switches) {
    if (each.uplink.empty() || std::ranges::find(known, each.uplink) != known.end()) continue;
    mistakes_.add(each.line, fmt::format("no [[switches]] entry names '{}', the uplink of '{}'{}",
                                         each.uplink, each.name, did_you_mean(each.uplink, known)));
  }
}

void SystemReader::read_route(const TomlSection& section) {
  section.allow_only({"name", "over", "from", "to"});
  const auto over = section.required_text("over");
  if (!over) return;
  const auto routers = noted(names_.expand(over->value), over->line);
  if (!routers) return;
  const auto name = section.text("name");
  if (routers->size() > 1 && !name) {
    mistakes_.add(over->line, "a route over several routers needs a 'name': that of their group");
    return;
  }
  NetworkRoute route{.name = name ? name->value : routers->front(),
                     .over = *routers,
                     .from = {},
                     .to = {},
                     .line = over->line};
  if (!claim(route.name, "route", over->line)) return;
  const auto to = network_hosts(section, "to");
  if (!to || !charge(to->size(), over->line)) return;
  route.to = *to;
  if (section.has("from")) {
    const auto from = network_hosts(section, "from");
    if (!from || !charge(from->size(), over->line)) return;
    route.from = *from;
  }
  topology().routes.push_back(std::move(route));
}

void SystemReader::read_load_balancer(const TomlSection& section) {
  section.allow_only({"name", "servers"});
  const auto name = section.required_text("name");
  if (!name || !claim(name->value, "load balancer", name->line)) return;
  const auto servers = network_hosts(section, "servers");
  if (!servers || !charge(servers->size(), name->line)) return;
  topology().load_balancers.push_back({.name = name->value, .servers = *servers, .line = name->line});
}

}  // namespace laggard::topology
