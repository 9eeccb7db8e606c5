#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/text.h"
#include "topology/sketch.h"
#include "topology/system_file.h"
#include "topology/system_text.h"

namespace laggard::topology {

namespace {

constexpr std::size_t kCommentWidth = 110;

std::string comment(const std::string& sentence) {
  std::string out = "#";
  std::size_t column = 1;
  const std::string plain = harmless(sentence);
  std::string_view rest = plain;
  for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) {
    if (column > 1 && column + 1 + word.size() > kCommentWidth) {
      out += "\n# ";
      column = 2;
      out += word;
    } else {
      out += fmt::format(" {}", word);
      ++column;
    }
    column += word.size();
  }
  return out + "\n";
}

/// A section of the file: its comments and its tables. Comments may stand without tables.
std::string part(const std::vector<std::string>& sentences, const std::string& tables) {
  std::string out;
  for (const std::string& sentence : sentences) out += comment(sentence);
  if (!out.empty() && tables.empty()) out += "\n";
  return out + tables;
}

bool is_plain(std::string_view name) {
  return expressible(name) && std::all_of(name.begin(), name.end(), [](char c) { return c > 0; });
}

/// Every name in a sketch that has to be part of a node set.
std::vector<std::string_view> names_in_sets(const SystemSketch& sketch) {
  std::vector<std::string_view> names(sketch.clients.begin(), sketch.clients.end());
  const auto add = [&](const std::vector<std::string>& list) {
    names.insert(names.end(), list.begin(), list.end());
  };
  for (const auto& server : sketch.servers) {
    names.emplace_back(server.name);
    add(server.devices);
    add(server.addresses);
  }
  for (const auto& array : sketch.arrays) {
    names.emplace_back(array.name);
    add(array.controllers);
    add(array.servers);
  }
  for (const auto& lun : sketch.luns) {
    names.emplace_back(lun.name);
    for (const auto& path : lun.paths) names.insert(names.end(), {path.server, path.device});
  }
  for (const auto& drawer : sketch.drawers) {
    names.emplace_back(drawer.name);
    add(drawer.luns);
    add(drawer.devices);
  }
  for (const auto& group : sketch.groups) add(group.members);
  return names;
}

std::string_view to_word(DiskPeers peers) {
  switch (peers) {
    case DiskPeers::kAuto:
      return "auto";
    case DiskPeers::kRank:
      return "rank";
    case DiskPeers::kHost:
      return "host";
    case DiskPeers::kAll:
      return "all";
  }
  return "";
}

std::string write_servers(const SystemSketch& sketch) {
  using Kind = std::tuple<HostRole, std::string, DiskPeers, std::size_t>;
  std::map<Kind, std::vector<HostText>> by_kind;
  for (const auto& server : sketch.servers) {
    by_kind[{server.role, server.set, server.peers, server.addresses.size()}].push_back(
        {server.name, server.devices, server.addresses});
  }
  std::string out;
  for (const auto& [kind, hosts] : by_kind) {
    const auto& [role, set, peers, addresses] = kind;
    for (const auto& entry : shared_entries(hosts)) {
      out += "[[servers]]\n" + name_line(entry) + address_line(entry) + device_lines(entry);
      if (role == HostRole::kMetadataServer) out += key_line("role", {"metadata"});
      if (!set.empty()) out += fmt::format("{:<7} = {}\n", "set", toml_string(set));
      if (peers != DiskPeers::kAuto) out += key_line("peers", {std::string(to_word(peers))});
      out += "\n";
    }
  }
  return out;
}

std::string write_clients(const SystemSketch& sketch) {
  if (sketch.clients.empty()) return "";
  std::vector<std::string> names = sketch.clients;
  std::sort(names.begin(), names.end(), natural_less);
  return "[[clients]]\n" + key_line("name", {ordered_node_set(names)}) + "\n";
}

std::string write_arrays(const SystemSketch& sketch) {
  std::string out;
  for (const auto& array : sketch.arrays) {
    out += "[[arrays]]\n" + key_line("name", {array.name});
    if (!array.controllers.empty()) out += key_line("controllers", {ordered_node_set(array.controllers)});
    if (!array.servers.empty()) out += key_line("servers", {ordered_node_set(array.servers)});
    if (!array.cabling.empty()) {
      std::string list;
      for (const std::string& positions : array.cabling)
        list += fmt::format("{}{}", list.empty() ? "" : ", ", toml_string(positions));
      out += fmt::format("cabling = [{}]\n", list);
    }
    if (!array.cache_coherent) out += "cache_coherent = false\n";
    out += "\n";
  }
  return out;
}

std::string write_drawers(const SystemSketch& sketch) {
  std::string out;
  for (const auto& drawer : sketch.drawers) {
    out += "[[drawers]]\n" + key_line("name", {drawer.name});
    if (!drawer.called.empty()) out += fmt::format("{:<7} = {}\n", "called", toml_string(drawer.called));
    if (!drawer.array.empty()) out += key_line("array", {drawer.array});
    if (!drawer.luns.empty()) out += key_line("luns", {ordered_node_set(drawer.luns)});
    if (!drawer.devices.empty()) out += key_line("devices", {ordered_node_set(drawer.devices)});
    out += "\n";
  }
  return out;
}

std::string write_groups(const SystemSketch& sketch) {
  std::string out;
  for (const auto& group : sketch.groups) {
    out += fmt::format("[[peer_groups]]\n{:<7} = {}\n", "name", toml_string(group.name));
    out += key_line("members", {ordered_node_set(group.members)}) + "\n";
  }
  return out;
}

}  // namespace

Result<std::string> write_system(const SystemSketch& sketch) {
  const std::vector<std::string_view> names = names_in_sets(sketch);
  if (const auto odd = std::find_if_not(names.begin(), names.end(), is_plain); odd != names.end()) {
    return fail(ErrorCode::kBadInput, "",
                fmt::format("the name '{}' cannot stand in a system file, whose node sets take plain letters "
                            "without blanks, brackets, commas, quotes, backslashes and '#'",
                            harmless(*odd)));
  }
  const SystemSketch::Notes& notes = sketch.notes;
  std::string out = part(notes.head, "");
  if (!sketch.name.empty()) out += fmt::format("name = {}\n\n", toml_string(sketch.name));
  out += part(notes.servers, write_servers(sketch));
  out += part(notes.clients, write_clients(sketch));
  out += part(notes.arrays, write_arrays(sketch));
  out += part(notes.luns, write_luns(sketch));
  out += part(notes.drawers, write_drawers(sketch));
  out += part(notes.groups, write_groups(sketch));
  out += part(notes.end, "");
  while (out.ends_with("\n\n")) out.pop_back();
  // Reading it back finds mistakes that only the whole file shows, such as a device named twice or an unknown
  // server.
  const SystemReading reading = read_system(out, "");
  if (reading.mistakes.empty()) return out;
  return fail(ErrorCode::kBadInput, "",
              fmt::format("this makes no sound system: {}", reading.mistakes.front().what));
}

}  // namespace laggard::topology
