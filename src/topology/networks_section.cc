#include <fmt/format.h>

#include "topology/system_reader.h"

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

}  // namespace laggard::topology
