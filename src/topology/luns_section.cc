#include <fmt/format.h>

#include <algorithm>

#include "base/node_set.h"
#include "topology/name_template.h"
#include "topology/system_reader.h"

namespace laggard::topology {

/// One [[luns]] table as it was read. Lists are indexed by *place*: one for each array that the entry names,
/// or a single one.
struct SystemReader::LunEntry {
  std::uint32_t line = 0;
  std::string set;
  bool double_peers = false;
  bool rotate = false;
  std::vector<TomlText> orders;  ///< Positions; empty with `listed` and `rotate`.
  std::vector<TomlText> owners;
  std::string attachment;  ///< Template of attachment names.
  std::uint32_t attachment_line = 0;
  std::optional<TomlText> device;
  std::unordered_map<HostId, TomlText> device_by_server;

  std::vector<std::string> array_names;
  std::vector<std::optional<ArrayId>> arrays;
  std::vector<std::vector<std::string>> names;
  std::vector<std::vector<HostId>> servers;
};

void SystemReader::read_lun(const TomlSection& section) {
  section.allow_only(
      {"name", "array", "servers", "order", "set", "owner", "device", "attachment", "double_peers"});
  LunEntry entry;
  entry.line = section.line();
  if (const auto set = section.text("set")) entry.set = set->value;
  entry.double_peers = section.flag("double_peers", false);
  entry.owners = section.texts("owner");
  read_lun_order(section, entry);
  if (!read_lun_places(section, entry)) return;
  read_lun_devices(section, entry);
  const auto attachment = section.text("attachment");
  // docs/methods/peer.md: `controller.lun.server`, where the couplet that holds the LUN is the controller.
  entry.attachment = attachment             ? attachment->value
                     : section.has("array") ? "{array}.{lun}.{server}"
                                            : "{lun}.{server}";
  entry.attachment_line = attachment ? attachment->line : entry.line;
  if (!entry.device && entry.device_by_server.empty()) return;
  for (std::size_t place = 0; place < entry.names.size(); ++place) {
    for (std::size_t index = 0; index < entry.names[place].size(); ++index) {
      if (!add_lun(entry, place, index)) return;
    }
  }
}

void SystemReader::read_lun_order(const TomlSection& section, LunEntry& entry) {
  if (!section.has("order")) return;
  entry.orders = section.texts("order");
  if (entry.orders.size() != 1) return;
  const std::string& word = entry.orders.front().value;
  entry.rotate = word == "rotate";
  if (entry.rotate || word == "listed") entry.orders.clear();
}

/// Reads which LUNs are on which arrays.
bool SystemReader::read_lun_places(const TomlSection& section, LunEntry& entry) {
  const auto name = section.required_text("name");
  if (!name) return false;
  const auto array_text = section.text("array");
  if (!array_text) {
    auto names = noted(names_.expand(name->value), name->line);
    if (!names) return false;
    entry.arrays.emplace_back(std::nullopt);
    entry.array_names.emplace_back();
    entry.names.push_back(std::move(*names));
    return read_lun_servers(section, entry);
  }
  const auto arrays = known_arrays(*array_text);
  if (!arrays) return false;
  for (const ArrayId array : *arrays) {
    entry.arrays.emplace_back(array);
    entry.array_names.push_back(topology().arrays[array.index()].name);
  }
  auto names = noted(names_.expand_each(name->value, "array", entry.array_names), name->line);
  if (!names) return false;
  entry.names = std::move(*names);
  return read_lun_servers(section, entry);
}

/// Reads the servers that reach the LUNs of each array: the entry's, else the array's.
bool SystemReader::read_lun_servers(const TomlSection& section, LunEntry& entry) {
  const auto text = section.text("servers");
  if (!text) {
    for (const auto& array : entry.arrays) {
      const bool known = array && !topology().arrays[array->index()].servers.empty();
      if (!known) {
        mistakes_.add(entry.line, "[[luns]] needs 'servers', or an 'array' that has them");
        return false;
      }
      entry.servers.push_back(topology().arrays[array->index()].servers);
    }
    return true;
  }
  const auto each = noted(names_.expand_each(text->value, "array", entry.array_names), text->line);
  if (!each) return false;
  for (const auto& of_place : *each) {
    auto known = known_servers(of_place, text->line);
    if (!known) return false;
    entry.servers.push_back(std::move(*known));
  }
  return true;
}

void SystemReader::read_lun_devices(const TomlSection& section, LunEntry& entry) {
  if (!section.is_table("device")) {
    entry.device = section.required_text("device");
    return;
  }
  for (const auto& [key, values] : section.entries("device")) {
    const auto names = noted(names_.expand(key.value), key.line);
    if (!names) continue;
    const auto servers = known_servers(*names, key.line);
    if (!servers || values.empty()) continue;
    for (const HostId server : *servers) {
      if (!entry.device_by_server.emplace(server, values.front()).second) {
        mistakes_.add(key.line, fmt::format("'device' names '{}' twice", host_name(server)));
      }
    }
  }
}

bool SystemReader::add_lun(const LunEntry& entry, std::size_t place, std::size_t index) {
  const std::string& name = entry.names[place][index];
  if (!claim(name, "LUN", entry.line)) return false;
  const auto array = entry.arrays[place];
  // Counted over all entries of the array, so that rotation continues where the earlier LUNs ended.
  const std::size_t position = array ? luns_of_array_[array->index()]++ : index;
  const LunId id{static_cast<std::uint32_t>(topology().luns.size())};
  const auto order = lun_order(entry, place, position);
  if (!order) return false;
  Lun& lun = topology().luns.emplace_back();
  lun.name = name;
  lun.array = array;
  lun.set = entry.set;
  lun.double_with_server = entry.double_peers;
  lun.line = entry.line;
  luns_.emplace(name, id);
  if (!set_owner(entry, lun, position)) return false;
  const bool one_controller = array && !topology().arrays[array->index()].cache_coherent;
  if (one_controller && !lun.owner) lun.owner = controller_of(array, order->front());
  return std::all_of(order->begin(), order->end(), [&](HostId server) {
    const auto controller = controller_of(array, server);
    // Without cache coherence only the owner serves the LUN (T §5.7.1).
    if (one_controller && controller && lun.owner && *controller != *lun.owner) return true;
    return add_attachment(entry, place, index, server);
  });
}

/// The servers of a LUN, primary first.
std::optional<std::vector<HostId>> SystemReader::lun_order(const LunEntry& entry, std::size_t place,
                                                           std::size_t position) {
  const std::vector<HostId>& servers = entry.servers[place];
  if (!charge(servers.size(), entry.line)) return std::nullopt;
  std::vector<HostId> order = servers;
  if (entry.rotate) {
    const auto start = static_cast<std::ptrdiff_t>(position % servers.size());
    std::rotate(order.begin(), order.begin() + start, order.end());
  }
  if (entry.orders.empty()) return order;
  const TomlText& text = entry.orders[position % entry.orders.size()];
  const auto positions = noted(parse_positions(text.value, servers.size()), text.line);
  if (!positions) return std::nullopt;
  order.clear();
  for (const std::uint32_t p : *positions) order.push_back(servers[p]);
  return order;
}

bool SystemReader::set_owner(const LunEntry& entry, Lun& lun, std::size_t position) {
  if (entry.owners.empty()) return true;
  const std::uint32_t line = entry.owners.front().line;
  if (!lun.array) {
    mistakes_.add(line, "'owner' needs an 'array' whose controller it is");
    return false;
  }
  const Array& array = topology().arrays[lun.array->index()];
  const Binding binding{"array", array.name};
  std::vector<std::string> owners;
  for (const TomlText& text : entry.owners) {
    const auto filled = noted(fill_template(text.value, {&binding, 1}), text.line);
    if (!filled) return false;
    const auto some = noted(expand_node_set(*filled, array.controllers.size()), text.line);
    if (!some) return false;
    owners.insert(owners.end(), some->begin(), some->end());
  }
  const std::string& name = owners[position % owners.size()];
  const auto found = controllers_.find(name);
  if (found == controllers_.end() || topology().controllers[found->second.index()].array != *lun.array) {
    mistakes_.add(line, fmt::format("'{}' is no controller of '{}'", name, array.name));
    return false;
  }
  lun.owner = found->second;
  return true;
}

/// The controller that a server is cabled to; none when it is cabled to several of the array.
std::optional<ControllerId> SystemReader::controller_of(std::optional<ArrayId> array, HostId server) const {
  std::optional<ControllerId> found;
  if (!array) return found;
  for (const ControllerId id : model_.topology.arrays[array->index()].controllers) {
    const auto& servers = model_.topology.controllers[id.index()].servers;
    if (std::find(servers.begin(), servers.end(), server) == servers.end()) continue;
    if (found) return std::nullopt;
    found = id;
  }
  return found;
}

bool SystemReader::add_attachment(const LunEntry& entry, std::size_t place, std::size_t index,
                                  HostId server) {
  const LunId lun_id{static_cast<std::uint32_t>(topology().luns.size() - 1)};
  Lun& lun = topology().luns.back();
  const auto controller = controller_of(lun.array, server);
  std::vector<Binding> bindings{{"lun", lun.name}, {"server", host_name(server)}};
  if (lun.array) bindings.push_back({"array", entry.array_names[place]});
  if (controller) bindings.push_back({"controller", topology().controllers[controller->index()].name});
  auto name = noted(fill_template(entry.attachment, bindings), entry.attachment_line);
  if (!name) return false;
  if (disks_.contains(*name)) {
    mistakes_.add(entry.attachment_line,
                  fmt::format("attachment '{}' has the name of a server's device", *name));
    return false;
  }
  if (!claim(*name, "attachment", entry.attachment_line)) return false;
  auto device = lun_device(entry, place, index, bindings, server);
  if (!device) return false;
  const std::uint32_t line = entry.device ? entry.device->line : entry.line;
  if (!claim_device(server, *device, line)) return false;
  const AttachmentId id{static_cast<std::uint32_t>(topology().attachments.size())};
  topology().attachments.push_back({.name = std::move(*name),
                                    .lun = lun_id,
                                    .server = server,
                                    .controller = controller,
                                    .priority = static_cast<std::uint32_t>(lun.attachments.size()),
                                    .device = std::move(*device)});
  lun.attachments.push_back(id);
  return true;
}

/// A single name, or one of as many as the entry has LUNs on this array.
std::optional<std::string> SystemReader::lun_device(const LunEntry& entry, std::size_t place,
                                                    std::size_t index, std::span<const Binding> bindings,
                                                    HostId server) {
  const auto own = entry.device_by_server.find(server);
  if (!entry.device && own == entry.device_by_server.end()) {
    mistakes_.add(entry.line, fmt::format("'device' does not say which device of '{}' the LUN '{}' is",
                                          host_name(server), entry.names[place][index]));
    return std::nullopt;
  }
  const TomlText& text = own == entry.device_by_server.end() ? *entry.device : own->second;
  auto filled = noted(fill_template(text.value, bindings), text.line);
  if (!filled) return std::nullopt;
  if (filled->find_first_of("[],") == std::string::npos) return filled;
  // The text is the same for every LUN of the entry, so it is expanded once.
  const auto [known, added] = device_sets_.try_emplace(*filled);
  if (added) {
    auto names = noted(names_.expand(*filled), text.line);
    if (!names) return std::nullopt;
    known->second = std::move(*names);
  }
  const std::vector<std::string>& names = known->second;
  const std::size_t count = entry.names[place].size();
  if (names.size() == 1) return names.front();
  if (names.size() == count) return names[index];
  mistakes_.add(text.line, fmt::format("'{}' has {} names, but 1 or {} are needed, one for each LUN", *filled,
                                       names.size(), count));
  return std::nullopt;
}

}  // namespace laggard::topology
