#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "topology/check.h"
#include "topology/groups.h"
#include "topology/import/import.h"
#include "topology/system_file.h"

namespace laggard::topology::testing_support {

using TopologyImporter = Result<topology::SystemSketch> (*)(std::span<const topology::SavedText>,
                                                            const topology::SiteMap&);

inline topology::SiteMap site_map(const std::string& text) {
  auto map = topology::parse_site_map(text, "site.toml");
  EXPECT_TRUE(map.has_value()) << map.error().message();
  return map.value_or(topology::SiteMap{});
}

/// The system file that an import gives; the error's message where it gives none.
inline std::string imported(TopologyImporter importer, const std::vector<topology::SavedText>& files,
                            const std::string& map = "") {
  const auto sketch = importer(files, site_map(map));
  if (!sketch) return sketch.error().message();
  const auto text = topology::write_system(*sketch);
  return text ? *text : text.error().message();
}

/// The texts of a seed of the fuzzer, where captures are kept for both: without the line that names the
/// importer, cut at form feeds.
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

/// Peer groups of disks with their members, as a recording of all that the file names would be grouped.
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
