#include <fmt/format.h>

#include "model/system/system_reader.h"

namespace laggard {

/// The hosts of a network: as listed, else all servers.
std::optional<std::vector<HostId>> SystemReader::network_hosts(const TomlSection& section) {
  std::vector<HostId> hosts;
  const auto text = section.text("hosts");
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
  const auto hosts = network_hosts(section);
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

void SystemReader::read_peer_group(const TomlSection& section) {
  constexpr std::size_t kFewest = 3;
  section.allow_only({"name", "members"});
  const auto name = section.required_text("name");
  if (!section.has("members")) mistakes_.add(section.line(), "[[peer_groups]] needs 'members'");
  if (!name || !claim(name->value, "peer group", name->line)) return;
  NamedGroup group{.name = name->value, .members = {}, .line = name->line};
  for (const TomlText& text : section.texts("members")) {
    auto members = noted(names_.expand(text.value), text.line);
    if (!members) return;
    for (std::string& member : *members) {
      if (!claim(member, "peer group member", text.line) || !check_member(member, text.line)) return;
      group.members.push_back(std::move(member));
    }
  }
  if (section.has("members") && group.members.size() < kFewest) {
    mistakes_.add(name->line,
                  fmt::format("peer group '{}' has {} members, but at least {} are needed to tell "
                              "which one is odd",
                              group.name, group.members.size(), kFewest));
    return;
  }
  topology().groups.push_back(std::move(group));
}

bool SystemReader::check_member(const std::string& member, std::uint32_t line) {
  if (claimed_.contains(std::pair<std::string, std::string>{"attachment", member})) return true;
  const std::size_t slash = member.find('/');
  const auto host = hosts_.find(member.substr(0, slash));
  if (slash == std::string::npos || slash + 1 == member.size()) {
    mistakes_.add(
        line, fmt::format("'{}' is no attachment of this file; write other members as host/device", member));
    return false;
  }
  if (host != hosts_.end()) return true;
  mistakes_.add(line, fmt::format("'{}' is on no host of this file", member));
  return false;
}

}  // namespace laggard
