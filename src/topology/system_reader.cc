#include "topology/system_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/file.h"
#include "base/node_set.h"
#include "base/parse_toml.h"
#include "topology/group_builder.h"
#include "topology/toml_section.h"

namespace laggard::topology {

SystemReader::SystemReader(std::string_view path, std::size_t max_names)
    : mistakes_(std::string(path)), names_(max_names) {
  model_.path = path;
}

SystemReading SystemReader::run(const toml::table& root) {
  const TomlSection top(root, "the file", mistakes_);
  top.allow_only({"name", "servers", "clients", "arrays", "luns", "drawers", "networks", "switches", "routes",
                  "load_balancers", "peer_groups", "expected_work", "syscalls"});
  if (const auto name = top.text("name")) model_.name = name->value;
  for_each_table(root, "servers", &SystemReader::read_servers);
  for_each_table(root, "clients", &SystemReader::read_clients);
  for_each_table(root, "arrays", &SystemReader::read_array);
  for_each_table(root, "luns", &SystemReader::read_lun);
  for_each_table(root, "drawers", &SystemReader::read_drawer);
  for_each_table(root, "networks", &SystemReader::read_network);
  for_each_table(root, "switches", &SystemReader::read_switch);
  check_uplinks();
  for_each_table(root, "routes", &SystemReader::read_route);
  for_each_table(root, "load_balancers", &SystemReader::read_load_balancer);
  for_each_table(root, "peer_groups", &SystemReader::read_peer_group);
  for_each_table(root, "expected_work", &SystemReader::read_expected_work);
  for_each_table(root, "syscalls", &SystemReader::read_syscalls);
  check_whole(root);
  return {std::move(model_), mistakes_.take()};
}

void SystemReader::for_each_table(const toml::table& root, std::string_view key, SectionReader read) {
  const toml::node* node = root.get(key);
  if (node == nullptr) return;
  const std::string title = fmt::format("[[{}]]", key);
  // A single [servers] is as clear as a list of one.
  if (const toml::table* table = node->as_table()) {
    (this->*read)(TomlSection(*table, title, mistakes_));
    return;
  }
  const toml::array* list = node->as_array();
  if (list == nullptr) {
    mistakes_.add(line_of(*node), fmt::format("'{}' must be written as tables: {}", key, title));
    return;
  }
  for (const toml::node& item : *list) {
    if (const toml::table* table = item.as_table()) {
      (this->*read)(TomlSection(*table, title, mistakes_));
    } else {
      mistakes_.add(line_of(item), fmt::format("'{}' must be written as tables: {}", key, title));
    }
  }
}

void SystemReader::check_whole(const toml::table& root) {
  if (!root.contains("servers")) mistakes_.add(0, "names no servers; begin with [[servers]] and a name");
}

bool SystemReader::claim(const std::string& name, std::string_view kind, std::uint32_t line) {
  const auto [entry, added] = claimed_.try_emplace({std::string(kind), name}, line);
  if (added) return true;
  const bool here = entry->second == line;
  mistakes_.add(line, fmt::format("{} '{}' {}", kind, name,
                                  here ? std::string("comes twice")
                                       : fmt::format("is named in line {} already", entry->second)));
  return false;
}

bool SystemReader::claim_device(HostId host, const std::string& device, std::uint32_t line) {
  return claim(host_name(host) + "/" + device, "device", line);
}

bool SystemReader::charge(std::size_t n, std::uint32_t line) {
  if (names_.charge(n)) return true;
  mistakes_.add(line, "the file describes more things than can be kept in memory");
  return false;
}

std::optional<std::vector<HostId>> SystemReader::known_servers(const std::vector<std::string>& names,
                                                               std::uint32_t line) {
  std::vector<HostId> ids;
  std::vector<std::string> unknown;
  ids.reserve(names.size());
  for (const std::string& name : names) {
    const auto found = hosts_.find(name);
    const bool serves =
        found != hosts_.end() && model_.topology.hosts[found->second.index()].role != HostRole::kClient;
    if (serves) {
      ids.push_back(found->second);
    } else {
      unknown.push_back(name);
    }
  }
  if (unknown.empty()) return ids;
  std::vector<std::string_view> known;
  for (const auto& host : model_.topology.hosts) known.emplace_back(host.name);
  const std::string hint =
      unknown.size() == 1 && known.size() < 1000 ? did_you_mean(unknown.front(), known) : "";
  mistakes_.add(line, fmt::format("no [[servers]] entry names {}{}", fold_for_message(unknown), hint));
  return std::nullopt;
}

SystemReading read_system(std::string_view text, std::string_view path, std::size_t max_names) {
  const Result<toml::table> root = parse_toml(text, path);
  if (root) return SystemReader(path, max_names).run(*root);
  SystemReading reading;
  reading.model.path = path;
  reading.mistakes.push_back(root.error());
  return reading;
}

Result<SystemModel> parse_system(std::string_view text, std::string_view path) {
  SystemReading reading = read_system(text, path);
  if (!reading.mistakes.empty()) return tl::unexpected<Error>(std::move(reading.mistakes.front()));
  return std::move(reading.model);
}

Result<SystemModel> load_system(const std::string& path) {
  auto text = read_file(path);
  if (!text) return forward(text);
  return parse_system(*text, path);
}

}  // namespace laggard::topology
