#include <fmt/format.h>

#include <algorithm>

#include "topology/name_template.h"
#include "topology/system_reader.h"

namespace laggard::topology {

void SystemReader::read_array(const TomlSection& section) {
  section.allow_only({"name", "servers", "controllers", "cabling", "cache_coherent"});
  const auto text = section.required_text("name");
  if (!text) return;
  const auto names = noted(names_.expand(text->value), text->line);
  if (!names) return;
  const bool coherent = section.flag("cache_coherent", true);
  std::vector<ArrayId> ids;
  for (const std::string& name : *names) {
    if (!claim(name, "array", text->line)) return;
    const ArrayId id{static_cast<std::uint32_t>(topology().arrays.size())};
    Array& array = topology().arrays.emplace_back();
    array.name = name;
    array.cache_coherent = coherent;
    array.line = text->line;
    arrays_.emplace(name, id);
    luns_of_array_.push_back(0);
    ids.push_back(id);
  }
  if (const auto servers = section.text("servers")) {
    const auto each = noted(names_.expand_each(servers->value, "array", *names), servers->line);
    if (!each) return;
    for (std::size_t a = 0; a < ids.size(); ++a) {
      auto known = known_servers((*each)[a], servers->line);
      if (!known) return;
      topology().arrays[ids[a].index()].servers = std::move(*known);
    }
  }
  read_controllers(section, *names, ids);
}

void SystemReader::read_controllers(const TomlSection& section, const std::vector<std::string>& names,
                                    const std::vector<ArrayId>& arrays) {
  const auto text = section.text("controllers");
  if (!text) {
    if (section.has("cabling")) mistakes_.add(section.line(), "'cabling' needs 'controllers'");
    return;
  }
  const auto each = noted(names_.expand_each(text->value, "array", names), text->line);
  if (!each) return;
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    for (const std::string& name : (*each)[a]) {
      if (!claim(name, "controller", text->line)) return;
      const ControllerId id{static_cast<std::uint32_t>(topology().controllers.size())};
      topology().controllers.push_back({.name = name, .array = arrays[a], .servers = {}});
      topology().arrays[arrays[a].index()].controllers.push_back(id);
      controllers_.emplace(name, id);
    }
    cable_controllers(section, arrays[a]);
  }
}

/// Without `cabling` the controllers get the servers in equal runs.
void SystemReader::cable_controllers(const TomlSection& section, ArrayId id) {
  const Array& array = topology().arrays[id.index()];
  const std::size_t controllers = array.controllers.size();
  const std::vector<TomlText> cabling = section.texts("cabling");
  if (!cabling.empty()) {
    if (cabling.size() != controllers) {
      mistakes_.add(cabling.front().line, fmt::format("'cabling' has {} entries for {} controllers of '{}'",
                                                      cabling.size(), controllers, array.name));
      return;
    }
    for (std::size_t c = 0; c < controllers; ++c) {
      const auto positions = noted(parse_positions(cabling[c].value, array.servers.size()), cabling[c].line);
      if (!positions) return;
      for (const std::uint32_t position : *positions) {
        topology().controllers[array.controllers[c].index()].servers.push_back(array.servers[position]);
      }
    }
    return;
  }
  if (array.servers.size() % controllers != 0) {
    mistakes_.add(
        section.line(),
        fmt::format("{} servers of '{}' do not divide among {} controllers; say with 'cabling' which "
                    "go where",
                    array.servers.size(), array.name, controllers));
    return;
  }
  const std::size_t run = array.servers.size() / controllers;
  for (std::size_t s = 0; s < array.servers.size(); ++s) {
    topology().controllers[array.controllers[s / run].index()].servers.push_back(array.servers[s]);
  }
}

void SystemReader::read_drawer(const TomlSection& section) {
  section.allow_only({"name", "called", "array", "luns", "devices"});
  const auto text = section.required_text("name");
  if (!text) return;
  const auto array_text = section.text("array");
  if (!array_text) {
    add_drawers(section, *text, std::nullopt);
    return;
  }
  const auto arrays = known_arrays(*array_text);
  if (!arrays) return;
  for (const ArrayId array : *arrays) {
    if (!add_drawers(section, *text, array)) return;
  }
}

std::optional<std::vector<ArrayId>> SystemReader::known_arrays(const TomlText& text) {
  const auto names = noted(names_.expand(text.value), text.line);
  if (!names) return std::nullopt;
  std::vector<ArrayId> ids;
  for (const std::string& name : *names) {
    const auto found = arrays_.find(name);
    if (found == arrays_.end()) {
      mistakes_.add(text.line, fmt::format("no [[arrays]] entry names '{}'", name));
      return std::nullopt;
    }
    ids.push_back(found->second);
  }
  return ids;
}

/// Adds the drawers of one array, or drawers that belong to no array.
bool SystemReader::add_drawers(const TomlSection& section, const TomlText& text,
                               std::optional<ArrayId> array) {
  // A copy: adding drawers may move the topology's lists.
  const std::string array_name = array ? topology().arrays[array->index()].name : "";
  std::vector<Binding> bindings;
  if (array) bindings.push_back({"array", array_name});
  const auto filled = noted(fill_template(text.value, bindings), text.line);
  if (!filled) return false;
  const auto names = noted(names_.expand(*filled), text.line);
  if (!names) return false;
  const auto called = section.text("called");
  for (const std::string& name : *names) {
    if (!claim(name, "drawer", text.line)) return false;
    const DrawerId id{static_cast<std::uint32_t>(topology().drawers.size())};
    topology().drawers.push_back({.name = name, .array = array, .called = called ? called->value : ""});
    std::vector<Binding> members = bindings;
    members.push_back({"drawer", name});
    for (const TomlText& luns : section.texts("luns")) add_drawer_members(id, luns, members, true);
    for (const TomlText& devices : section.texts("devices")) add_drawer_members(id, devices, members, false);
  }
  return true;
}

void SystemReader::add_drawer_members(DrawerId drawer, const TomlText& text,
                                      std::span<const Binding> bindings, bool of_luns) {
  const auto filled = noted(fill_template(text.value, bindings), text.line);
  if (!filled) return;
  const auto names = noted(names_.expand(*filled), text.line);
  if (!names) return;
  for (const std::string& name : *names) {
    if (of_luns) {
      const auto lun = luns_.find(name);
      if (lun == luns_.end()) {
        mistakes_.add(text.line, fmt::format("no [[luns]] entry names '{}'", name));
        return;
      }
      topology().luns[lun->second.index()].drawers.push_back(drawer);
      continue;
    }
    const auto disk = disks_.find(name);
    if (disk == disks_.end()) {
      mistakes_.add(text.line,
                    fmt::format("no [[servers]] entry has the device '{}' (write host/device)", name));
      return;
    }
    topology().disks[disk->second.index()].drawers.push_back(drawer);
  }
}

}  // namespace laggard::topology
