#include "topology/import/site_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/parse_toml.h"
#include "base/text.h"
#include "topology/import/import.h"
#include "topology/import/saved_text.h"
#include "topology/name_template.h"
#include "topology/toml_section.h"

namespace laggard::topology {

namespace {

/// A map with more names than this is a mistake.
constexpr std::size_t kMostNames = 2'000'000;

/// Reads one map. All mistakes are collected, and the first is reported.
class MapReader {
 public:
  explicit MapReader(std::string_view path) : mistakes_(std::string(path)), names_(kMostNames) {
    map_.path = path;
  }

  Result<SiteMap> run(const toml::table& root);

 private:
  using SectionReader = void (MapReader::*)(const TomlSection&);
  void for_each_table(const toml::table& root, std::string_view key, SectionReader read);
  void read_host(const TomlSection& section);
  void read_array(const TomlSection& section);
  void read_set(const TomlSection& section);
  void read_drawer(const TomlSection& section);

  template <typename T>
  T noted(Result<T> result, std::uint32_t line) {
    if (result) return std::move(*result);
    mistakes_.add(line, std::move(result.error().what));
    return {};
  }
  std::vector<std::string> names_of(const TomlSection& section);
  /// One list for each owner; empty lists when the key is absent.
  std::vector<std::vector<std::string>> each(const TomlSection& section, std::string_view key,
                                             std::string_view placeholder,
                                             const std::vector<std::string>& owners);

  Mistakes mistakes_;
  NameExpander names_;
  SiteMap map_;
};

std::vector<std::string> MapReader::names_of(const TomlSection& section) {
  const auto text = section.required_text("name");
  if (!text) return {};
  return noted(names_.expand(text->value), text->line);
}

std::vector<std::vector<std::string>> MapReader::each(const TomlSection& section, std::string_view key,
                                                      std::string_view placeholder,
                                                      const std::vector<std::string>& owners) {
  std::vector<std::vector<std::string>> out(owners.size());
  for (const TomlText& text : section.texts(key)) {
    auto lists = noted(names_.expand_each(text.value, placeholder, owners), text.line);
    for (std::size_t i = 0; i < std::min(lists.size(), out.size()); ++i) {
      out[i].insert(out[i].end(), lists[i].begin(), lists[i].end());
    }
  }
  return out;
}

void MapReader::read_host(const TomlSection& section) {
  section.allow_only({"name", "called"});
  const std::vector<std::string> names = names_of(section);
  if (!section.has("called")) mistakes_.add(section.line(), "[[hosts]] needs a 'called'");
  for (const TomlText& text : section.texts("called")) {
    const auto called = noted(names_.expand_one_each(text.value, "host", names), text.line);
    for (std::size_t i = 0; i < called.size(); ++i) {
      const auto [entry, added] = map_.hosts.emplace(called[i], names[i]);
      if (added || entry->second == names[i]) continue;
      mistakes_.add(text.line, fmt::format("'{}' is both '{}' and '{}'", called[i], entry->second, names[i]));
      return;
    }
  }
}

void MapReader::read_array(const TomlSection& section) {
  section.allow_only({"name", "luns", "controllers", "servers", "cabling", "cache_coherent"});
  const std::vector<std::string> names = names_of(section);
  if (!section.has("luns")) mistakes_.add(section.line(), "[[arrays]] needs 'luns', which are on it");
  const auto luns = each(section, "luns", "array", names);
  const auto controllers = each(section, "controllers", "array", names);
  const auto servers = each(section, "servers", "array", names);
  for (std::size_t a = 0; a < names.size(); ++a) {
    SystemSketch::Array array{.name = names[a], .servers = servers[a], .controllers = controllers[a]};
    array.cache_coherent = section.flag("cache_coherent", true);
    for (const TomlText& text : section.texts("cabling")) array.cabling.push_back(text.value);
    map_.arrays.push_back({std::move(array), SiteMap::LunNames(luns[a])});
  }
}

void MapReader::read_set(const TomlSection& section) {
  section.allow_only({"name", "luns"});
  const auto name = section.required_text("name");
  if (!section.has("luns")) mistakes_.add(section.line(), "[[sets]] needs 'luns', which are in it");
  if (!name) return;
  const auto luns = each(section, "luns", "set", {name->value});
  map_.sets.push_back({name->value, SiteMap::LunNames(luns.front())});
}

void MapReader::read_drawer(const TomlSection& section) {
  section.allow_only({"name", "called", "luns"});
  const std::vector<std::string> names = names_of(section);
  if (!section.has("luns")) mistakes_.add(section.line(), "[[drawers]] needs 'luns', which have disks in it");
  const auto luns = each(section, "luns", "drawer", names);
  const auto called = section.text("called");
  for (std::size_t d = 0; d < names.size(); ++d) {
    map_.drawers.push_back(
        {{.name = names[d], .called = called ? called->value : ""}, SiteMap::LunNames(luns[d])});
  }
}

void MapReader::for_each_table(const toml::table& root, std::string_view key, SectionReader read) {
  const toml::node* node = root.get(key);
  if (node == nullptr) return;
  const std::string title = fmt::format("[[{}]]", key);
  if (const toml::table* table = node->as_table()) {
    (this->*read)(TomlSection(*table, title, mistakes_));
    return;
  }
  const toml::array* list = node->as_array();
  const bool tables = list != nullptr && std::all_of(list->begin(), list->end(),
                                                     [](const toml::node& item) { return item.is_table(); });
  if (!tables) {
    mistakes_.add(line_of(*node), fmt::format("'{}' must be written as tables: {}", key, title));
    return;
  }
  for (const toml::node& item : *list) (this->*read)(TomlSection(*item.as_table(), title, mistakes_));
}

Result<SiteMap> MapReader::run(const toml::table& root) {
  const TomlSection top(root, "a site map", mistakes_);
  top.allow_only({"short_names", "hosts", "arrays", "sets", "drawers"});
  map_.short_names = top.flag("short_names", true);
  for_each_table(root, "hosts", &MapReader::read_host);
  for_each_table(root, "arrays", &MapReader::read_array);
  for_each_table(root, "sets", &MapReader::read_set);
  for_each_table(root, "drawers", &MapReader::read_drawer);
  std::vector<Error> mistakes = mistakes_.take();
  if (!mistakes.empty()) return tl::unexpected<Error>(std::move(mistakes.front()));
  return std::move(map_);
}

}  // namespace

SiteMap::LunNames::LunNames(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (name.find_first_of("*?") == std::string::npos) {
      exact_.insert(name);
    } else {
      globs_.push_back(name);
    }
  }
}

bool SiteMap::LunNames::match(const std::string& lun) const {
  return exact_.contains(lun) || std::any_of(globs_.begin(), globs_.end(),
                                             [&](const std::string& glob) { return glob_match(glob, lun); });
}

Result<SiteMap> parse_site_map(std::string_view text, std::string_view path) {
  Result<toml::table> root = parse_toml(text, path);
  if (!root) return forward(root);
  return MapReader(path).run(*root);
}

namespace {

/// The servers that reach the LUNs of an array, natural order.
std::vector<std::string> servers_of(const SystemSketch& sketch, const std::string& array) {
  std::set<std::string> servers;
  for (const auto& lun : sketch.luns) {
    if (lun.array != array) continue;
    for (const auto& path : lun.paths) servers.insert(path.server);
  }
  std::vector<std::string> out(servers.begin(), servers.end());
  std::sort(out.begin(), out.end(), natural_less);
  return out;
}

/// Where the cabling is not given and the servers do not divide among the controllers in equal runs, every
/// server is cabled to all controllers, so that none is blamed for another's faults.
void cable_evenly(SystemSketch::Array& array, std::vector<std::string>& notes) {
  if (array.controllers.empty() || !array.cabling.empty()) return;
  if (array.servers.size() % array.controllers.size() == 0) return;
  array.cabling.assign(array.controllers.size(), fmt::format("1-{}", array.servers.size()));
  notes.push_back(fmt::format(
      "{}: {} servers do not divide among {} controllers, so each server is taken to hang on all of them; "
      "say which with 'cabling'.",
      array.name, array.servers.size(), array.controllers.size()));
}

/// The first entry that matches a LUN.
template <typename Entry>
const Entry* first_match(const std::vector<Entry>& entries, const std::string& lun) {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.luns.match(lun); });
  return found == entries.end() ? nullptr : &*found;
}

/// Assigns every LUN to its array and its set, and notes those that are on no array.
void place_luns(const SiteMap& map, SystemSketch& sketch) {
  std::vector<std::string> on_no_array;
  for (auto& lun : sketch.luns) {
    if (const SiteMap::Array* array = first_match(map.arrays, lun.name)) {
      lun.array = array->array.name;
    } else {
      on_no_array.push_back(lun.name);
    }
    if (const SiteMap::Set* set = first_match(map.sets, lun.name)) {
      lun.set = lun.set.empty() ? set->name : lun.set + " " + set->name;
    }
  }
  if (map.arrays.empty() || on_no_array.empty()) return;
  sketch.notes.arrays.push_back(fmt::format("The site map puts these on no array: {}.", listed(on_no_array)));
}

}  // namespace

void apply_site_map(const SiteMap& map, SystemSketch& sketch) {
  place_luns(map, sketch);
  for (const SiteMap::Array& entry : map.arrays) {
    SystemSketch::Array array = entry.array;
    const std::vector<std::string> servers = servers_of(sketch, array.name);
    if (servers.empty()) {
      sketch.notes.arrays.push_back(fmt::format("{} of the site map has none of these LUNs.", array.name));
      continue;
    }
    if (array.servers.empty()) array.servers = servers;
    cable_evenly(array, sketch.notes.arrays);
    sketch.arrays.push_back(std::move(array));
  }
  for (const SiteMap::Drawer& entry : map.drawers) {
    SystemSketch::Drawer drawer = entry.drawer;
    for (const auto& lun : sketch.luns) {
      if (entry.luns.match(lun.name)) drawer.luns.push_back(lun.name);
    }
    if (!drawer.luns.empty()) sketch.drawers.push_back(std::move(drawer));
  }
}

}  // namespace laggard::topology
