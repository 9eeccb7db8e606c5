#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "model/series_source.h"
#include "topology/check.h"
#include "topology/groups.h"
#include "topology/import/import.h"
#include "topology/system_file.h"

// What the tests of topology share: inventories, and system files that are imported, read and grouped.

namespace laggard::topology::testing_support {

/// Builds inventories with a hundred samples per device.
class InventoryBuilder {
 public:
  InventoryBuilder& add(const std::string& host, DeviceKind kind, const std::string& device,
                        std::uint64_t active = 100,
                        std::vector<std::pair<std::string, std::string>> facts = {}) {
    DeviceInfo info;
    info.host = host;
    info.kind = kind;
    info.device = device;
    info.samples = 100;
    info.active_samples = active;
    info.facts = std::move(facts);
    inventory_.devices.push_back(std::move(info));
    return *this;
  }
  InventoryBuilder& disk(const std::string& host, const std::string& device, std::uint64_t active = 100,
                         std::vector<std::pair<std::string, std::string>> facts = {}) {
    return add(host, DeviceKind::kDisk, device, active, std::move(facts));
  }
  InventoryBuilder& net(const std::string& host, const std::string& device, std::uint64_t active = 100,
                        std::vector<std::pair<std::string, std::string>> facts = {}) {
    return add(host, DeviceKind::kNet, device, active, std::move(facts));
  }
  InventoryBuilder& tcp(const std::string& host, const std::string& device) {
    return add(host, DeviceKind::kTcp, device);
  }
  [[nodiscard]] const Inventory& get() const { return inventory_; }

 private:
  Inventory inventory_;
};

/// Nine servers with a disk each and four clients, as in our GlusterFS recordings.
[[nodiscard]] inline Inventory gluster_inventory() {
  InventoryBuilder build;
  const auto server_end = [](int s) { return "10.77.0." + std::to_string(s) + ":24007"; };
  const auto client_end = [](int c, int s) {
    return "10.77.0.10" + std::to_string(c) + ":" + std::to_string(49152 - s);
  };
  for (int s = 1; s <= 9; ++s) {
    const std::string name = "s" + std::to_string(s);
    build.disk(name, "loop2" + std::to_string(s)).net(name, "eth0").net(name, "lo");
    for (int c = 1; c <= 4; ++c) build.tcp(name, server_end(s) + ">" + client_end(c, s));
  }
  for (int c = 1; c <= 4; ++c) {
    const std::string name = "c" + std::to_string(c);
    build.net(name, "eth0");
    for (int s = 1; s <= 9; ++s) build.tcp(name, client_end(c, s) + ">" + server_end(s));
  }
  return build.get();
}

using TopologyImporter = Result<topology::SystemSketch> (*)(std::span<const topology::SavedText>,
                                                            const topology::SiteMap&);

inline topology::SiteMap site_map(const std::string& text) {
  auto map = topology::parse_site_map(text, "site.toml");
  EXPECT_TRUE(map.has_value()) << map.error().message();
  return map.value_or(topology::SiteMap{});
}

/// The system file that an import returns, or the message of its error.
inline std::string imported(TopologyImporter importer, const std::vector<topology::SavedText>& files,
                            const std::string& map = "") {
  const auto sketch = importer(files, site_map(map));
  if (!sketch) return sketch.error().message();
  const auto text = topology::write_system(*sketch);
  return text ? *text : text.error().message();
}

/// The texts of a seed of the fuzzer, which holds the captures for both: without the line that names the
/// importer, split at form feeds.
inline std::vector<topology::SavedText> corpus(const std::string& name) {
  const std::string path = LAGGARD_SOURCE_DIR "/fuzz/corpus/topology_fuzz/" + name;
  std::string text = read_file(path).value_or("");
  EXPECT_FALSE(text.empty()) << path;
  text.erase(0, text.find('\n') + 1);
  std::vector<topology::SavedText> files;
  for (const std::string_view part : split(text, '\f'))
    files.push_back({.path = path, .text = std::string(part)});
  return files;
}

/// Names of peer groups to their members, for a recording of everything that the file names.
using Groups = std::map<std::string, std::vector<std::string>>;

inline Groups groups_of(const std::string& text) {
  const topology::SystemReading reading = topology::read_system(text, "imported.toml");
  for (const Error& mistake : reading.mistakes) ADD_FAILURE() << mistake.message() << "\n" << text;
  const Inventory inventory = topology::as_if_recorded(reading.model);
  if (inventory.devices.empty()) return {};  // Servers without devices: the recording decides.
  const auto grouping = topology::make_groups(inventory, &reading.model);
  EXPECT_TRUE(grouping.has_value()) << text;
  Groups groups;
  if (!grouping) return groups;
  for (const PeerGroup& group : grouping->groups) {
    for (const ComponentId id : group.members) groups[group.name].push_back((*grouping)[id].name);
  }
  return groups;
}

}  // namespace laggard::topology::testing_support
