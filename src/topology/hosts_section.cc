#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/address.h"
#include "topology/system_reader.h"

namespace laggard::topology {

std::vector<HostId> SystemReader::add_hosts(const TomlSection& section, HostRole role) {
  std::vector<HostId> ids;
  const auto text = section.required_text("name");
  if (!text) return ids;
  const auto names = noted(names_.expand(text->value), text->line);
  if (!names) return ids;
  const auto set = section.text("set");
  for (const std::string& name : *names) {
    if (name.find('/') != std::string::npos) {
      mistakes_.add(text->line, fmt::format("the host name '{}' must not hold a '/'", name));
      return {};
    }
    if (!claim(name, "host", text->line)) return {};
    const HostId id{static_cast<std::uint32_t>(topology().hosts.size())};
    Host& host = topology().hosts.emplace_back();
    host.name = name;
    host.role = role;
    host.set = set ? set->value : "";
    host.line = text->line;
    hosts_.emplace(name, id);
    ids.push_back(id);
  }
  return ids;
}

void SystemReader::read_servers(const TomlSection& section) {
  section.allow_only({"name", "role", "address", "device", "devices", "set", "peers"});
  const bool metadata = section.choice("role", {"data", "metadata"}) == 1;
  const std::vector<HostId> hosts =
      add_hosts(section, metadata ? HostRole::kMetadataServer : HostRole::kServer);
  if (hosts.empty()) return;
  constexpr std::array kModes{DiskPeers::kAuto, DiskPeers::kRank, DiskPeers::kHost, DiskPeers::kAll};
  const DiskPeers peers = kModes[section.choice("peers", {"auto", "rank", "host", "all"})];
  std::vector<std::string> names;
  for (const HostId host : hosts) {
    topology().hosts[host.index()].peers = peers;
    names.push_back(host_name(host));
  }
  read_addresses(section, names, hosts);
  read_devices(section, names, hosts);
}

void SystemReader::read_clients(const TomlSection& section) {
  section.allow_only({"name", "address"});
  const std::vector<HostId> hosts = add_hosts(section, HostRole::kClient);
  std::vector<std::string> names;
  names.reserve(hosts.size());
  for (const HostId host : hosts) names.push_back(host_name(host));
  if (!hosts.empty()) read_addresses(section, names, hosts);
}

void SystemReader::read_addresses(const TomlSection& section, const std::vector<std::string>& names,
                                  const std::vector<HostId>& hosts) {
  for (const TomlText& text : section.texts("address")) {
    const auto addresses = noted(names_.expand_one_each(text.value, "server", names), text.line);
    if (!addresses) continue;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      const std::string address = canonical_address((*addresses)[i]);
      if (!is_ip_address(address)) {
        mistakes_.add(text.line, fmt::format("'{}' is no IP address", (*addresses)[i]));
        break;
      }
      if (!claim(address, "address", text.line)) break;
      topology().hosts[hosts[i].index()].addresses.push_back(address);
    }
  }
}

void SystemReader::read_devices(const TomlSection& section, const std::vector<std::string>& names,
                                const std::vector<HostId>& hosts) {
  if (section.has("device") && section.has("devices")) {
    mistakes_.add(
        section.line(),
        fmt::format("{} takes 'device' (one for each server) or 'devices' (all of them on every server), "
                    "not both",
                    section.title()));
    return;
  }
  for (const TomlText& text : section.texts("device")) {
    const auto devices = noted(names_.expand_one_each(text.value, "server", names), text.line);
    if (!devices) continue;
    for (std::size_t i = 0; i < hosts.size(); ++i) add_disk(hosts[i], (*devices)[i], text.line);
  }
  if (section.is_table("devices")) {
    read_device_table(section, names);
    return;
  }
  for (const TomlText& text : section.texts("devices")) {
    const auto devices = noted(names_.expand_each(text.value, "server", names), text.line);
    if (!devices) continue;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      for (const std::string& device : (*devices)[i]) add_disk(hosts[i], device, text.line);
    }
  }
}

void SystemReader::read_device_table(const TomlSection& section, const std::vector<std::string>& names) {
  for (const auto& [key, values] : section.entries("devices")) {
    const auto some = noted(names_.expand(key.value), key.line);
    if (!some) continue;
    for (const std::string& name : *some) {
      if (std::find(names.begin(), names.end(), name) != names.end()) continue;
      mistakes_.add(key.line, fmt::format("'devices' names '{}', which is no server of this entry", name));
      return;
    }
    for (const TomlText& text : values) {
      const auto devices = noted(names_.expand_each(text.value, "server", *some), text.line);
      if (!devices) continue;
      for (std::size_t i = 0; i < some->size(); ++i) {
        for (const std::string& device : (*devices)[i]) add_disk(hosts_.at((*some)[i]), device, text.line);
      }
    }
  }
}

void SystemReader::add_disk(HostId host, const std::string& device, std::uint32_t line) {
  if (!claim_device(host, device, line)) return;
  const DiskId id{static_cast<std::uint32_t>(topology().disks.size())};
  topology().disks.push_back({.host = host, .device = device, .drawers = {}, .line = line});
  topology().hosts[host.index()].disks.push_back(id);
  disks_.emplace(host_name(host) + "/" + device, id);
}

}  // namespace laggard::topology
