#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/error.h"
#include "topology/sketch.h"

namespace laggard::topology {

/// What a site knows but the tools of its file system do not print: the names of hosts, which LUNs are on
/// which array behind which controllers, what was bought when. docs/formats/topology.md has the format.
struct SiteMap {
  /// LUNs by name; each name may hold `*` and `?`.
  struct LunNames {
    explicit LunNames(const std::vector<std::string>& names);
    [[nodiscard]] bool match(const std::string& lun) const;

   private:
    std::unordered_set<std::string> exact_;
    std::vector<std::string> globs_;
  };
  struct Array {
    SystemSketch::Array array;
    LunNames luns;
  };
  struct Set {
    std::string name;
    LunNames luns;
  };
  struct Drawer {
    SystemSketch::Drawer drawer;
    LunNames luns;
  };

  std::string path;  ///< For messages; empty when there is no map.
  bool short_names = true;
  std::unordered_map<std::string, std::string> hosts;  ///< As a tool calls them -> as they are recorded.
  std::vector<Array> arrays;
  std::vector<Set> sets;
  std::vector<Drawer> drawers;
};

/// \param path  names the file in messages; nothing is opened.
[[nodiscard]] Result<SiteMap> parse_site_map(std::string_view text, std::string_view path);

/// Assigns the LUNs of a sketch to the arrays, sets and drawers of a map, each to the first that matches.
/// Arrays without servers get those of their LUNs in natural order. Entries that match nothing are left out,
/// with a note.
void apply_site_map(const SiteMap& map, SystemSketch& sketch);

}  // namespace laggard::topology
