#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "topology/name_template.h"
#include "topology/system_file.h"
#include "topology/toml_section.h"

namespace laggard::topology {

/// Turns the tables of a system file into a topology, section by section in the order in which they depend on
/// each other: hosts, arrays, LUNs, drawers, networks, switches, routes, peer groups, expected work. A reader
/// reads a single file.
class SystemReader {
 public:
  SystemReader(std::string_view path, std::size_t max_names);

  SystemReading run(const toml::table& root);

 private:
  // hosts_section.cc
  void read_servers(const TomlSection& section);
  void read_clients(const TomlSection& section);
  std::vector<HostId> add_hosts(const TomlSection& section, HostRole role);
  void read_addresses(const TomlSection& section, const std::vector<std::string>& names,
                      const std::vector<HostId>& hosts);
  void read_devices(const TomlSection& section, const std::vector<std::string>& names,
                    const std::vector<HostId>& hosts);
  void read_device_table(const TomlSection& section, const std::vector<std::string>& names);
  void add_disk(HostId host, const std::string& device, std::uint32_t line);

  // arrays_section.cc
  void read_array(const TomlSection& section);
  void read_controllers(const TomlSection& section, const std::vector<std::string>& names,
                        const std::vector<ArrayId>& arrays);
  void cable_controllers(const TomlSection& section, ArrayId array);
  void read_drawer(const TomlSection& section);
  bool add_drawers(const TomlSection& section, const TomlText& text, std::optional<ArrayId> array);
  std::optional<std::vector<ArrayId>> known_arrays(const TomlText& text);
  void add_drawer_members(DrawerId drawer, const TomlText& text, std::span<const Binding> bindings,
                          bool of_luns);

  // luns_section.cc
  struct LunEntry;
  void read_lun(const TomlSection& section);
  void read_lun_devices(const TomlSection& section, LunEntry& entry);
  void read_lun_order(const TomlSection& section, LunEntry& entry);
  bool read_lun_places(const TomlSection& section, LunEntry& entry);
  bool read_lun_servers(const TomlSection& section, LunEntry& entry);
  bool add_lun(const LunEntry& entry, std::size_t place, std::size_t index);
  std::optional<std::vector<HostId>> lun_order(const LunEntry& entry, std::size_t place,
                                               std::size_t position);
  bool set_owner(const LunEntry& entry, Lun& lun, std::size_t position);
  bool add_attachment(const LunEntry& entry, std::size_t place, std::size_t index, HostId server);
  std::optional<std::string> lun_device(const LunEntry& entry, std::size_t place, std::size_t index,
                                        std::span<const Binding> bindings, HostId server);
  [[nodiscard]] std::optional<ControllerId> controller_of(std::optional<ArrayId> array, HostId server) const;

  // networks_section.cc
  void read_network(const TomlSection& section);
  std::optional<std::vector<HostId>> network_hosts(const TomlSection& section, std::string_view key);
  void read_switch(const TomlSection& section);
  bool read_switch_ports(const TomlSection& section, const std::vector<std::string>& names);
  bool add_switch_port(Switch& to, const std::string& port, std::uint32_t line);
  void read_route(const TomlSection& section);
  void read_load_balancer(const TomlSection& section);
  void check_uplinks();

  // expectations_section.cc
  void read_peer_group(const TomlSection& section);
  bool check_member(const std::string& member, std::uint32_t line);
  void read_expected_work(const TomlSection& section);
  bool read_work_places(const TomlSection& section, ExpectedWork& work);
  bool read_work_once(const TomlSection& section, ExpectedWork& work);
  bool read_work_weekly(const TomlSection& section, ExpectedWork& work);

  // syscalls_section.cc
  void read_syscalls(const TomlSection& section);

  // system_reader.cc
  using SectionReader = void (SystemReader::*)(const TomlSection&);
  void for_each_table(const toml::table& root, std::string_view key, SectionReader read);
  void check_whole(const toml::table& root);
  /// The value, or nothing after noting the error as a mistake in that line.
  template <typename T>
  std::optional<T> noted(Result<T> result, std::uint32_t line) {
    if (result) return std::move(*result);
    mistakes_.add(line, std::move(result.error().what));
    return std::nullopt;
  }
  /// The hosts of these names; nothing, after noting it, when one of them does not exist.
  std::optional<std::vector<HostId>> known_servers(const std::vector<std::string>& names, std::uint32_t line);
  /// Remembers what a name stands for; notes it when the name is taken.
  bool claim(const std::string& name, std::string_view kind, std::uint32_t line);
  /// Counts `n` more names; notes it when the file asks for too many.
  bool charge(std::size_t n, std::uint32_t line);
  bool claim_device(HostId host, const std::string& device, std::uint32_t line);

  [[nodiscard]] Topology& topology() { return model_.topology; }
  [[nodiscard]] const std::string& host_name(HostId id) const {
    return model_.topology.hosts[id.index()].name;
  }

  Mistakes mistakes_;
  NameExpander names_;
  SystemModel model_;
  /// The lines of names that must be unique within their kind, by kind and name.
  std::map<std::pair<std::string, std::string>, std::uint32_t, std::less<>> claimed_;
  std::unordered_map<std::string, HostId> hosts_;
  std::unordered_map<std::string, ArrayId> arrays_;
  std::unordered_map<std::string, LunId> luns_;
  std::unordered_map<std::string, ControllerId> controllers_;
  std::unordered_map<std::string, DiskId> disks_;                          ///< By host/device.
  std::unordered_map<std::string, std::vector<std::string>> device_sets_;  ///< Node sets of LUN devices.
  std::vector<std::size_t> luns_of_array_;  ///< By ArrayId: how many so far, which is the next position.
};

}  // namespace laggard::topology
