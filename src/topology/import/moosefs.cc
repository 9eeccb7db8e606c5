#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "topology/import/hosts.h"
#include "topology/import/import.h"

namespace laggard::topology {

namespace {

constexpr std::string_view kServerRow = "chunk servers:";
constexpr std::string_view kDiskRow = "disks:";

/// Makes a sketch from mfscli's plain output.
class MooseFsImport {
 public:
  explicit MooseFsImport(const SiteMap& map) : map_(map), names_(map) {}

  Status read(const SavedText& file);
  Result<SystemSketch> take();

 private:
  struct Server {
    std::set<std::string> labels;
    std::vector<std::string> folders;
  };

  Status server_row(const SavedLines& lines, const SavedLine& line, const std::vector<std::string>& cells);
  Status disk_row(const SavedLines& lines, const SavedLine& line, const std::vector<std::string>& cells);
  Result<std::string> host(const SavedLines& lines, const SavedLine& line, const std::string& printed);

  const SiteMap& map_;
  HostNames names_;
  HostAddresses addresses_;
  std::map<std::string, Server> servers_;
  std::map<std::string, std::vector<std::string>> unwell_;  ///< Folders, by what is wrong with them.
  std::vector<std::string> maintained_;
  std::set<std::string> unnamed_;
};

/// The separator of plain output is chosen with -s; a tab when it is not.
std::vector<std::string> cells_of(std::string_view rest) {
  const char separator = rest.empty() ? '\t' : rest.front();
  std::vector<std::string> cells;
  if (rest.empty()) return cells;
  for (const std::string_view cell : split(rest.substr(1), separator)) cells.emplace_back(trim(cell));
  return cells;
}

Result<std::string> MooseFsImport::host(const SavedLines& lines, const SavedLine& line,
                                        const std::string& printed) {
  auto name = names_.name(printed);
  if (!name) {
    name.error().where = lines.place(line);
    return name;
  }
  addresses_.add(*name, printed);
  if (*name == printed) unnamed_.insert(*name);
  servers_.try_emplace(*name);
  return name;
}

/// Address, port, id, labels, version, load, maintenance, …
Status MooseFsImport::server_row(const SavedLines& lines, const SavedLine& line,
                                 const std::vector<std::string>& cells) {
  constexpr std::size_t kLabels = 3;
  constexpr std::size_t kMaintenance = 6;
  if (cells.size() <= kMaintenance || cells[0].empty()) {
    return lines.bad(
        line, "a row of mfscli -SCS has an address, a port, an id, labels, a version, a load and a state");
  }
  const auto name = host(lines, line, cells[0]);
  if (!name) return tl::unexpected<Error>(name.error());
  if (cells[kLabels] != "-" && !cells[kLabels].empty()) servers_[*name].labels.insert(cells[kLabels]);
  if (cells[kMaintenance] == "maintenance_on") maintained_.push_back(*name);
  return {};
}

/// `address:port:folder`, chunks, last error, status, …
Status MooseFsImport::disk_row(const SavedLines& lines, const SavedLine& line,
                               const std::vector<std::string>& cells) {
  constexpr std::size_t kStatus = 3;
  const std::size_t slash = cells.empty() ? std::string::npos : cells[0].find(":/");
  const std::size_t port = slash == std::string::npos || slash == 0 ? slash : cells[0].rfind(':', slash - 1);
  if (cells.size() <= kStatus || port == std::string::npos || port == 0 || port >= slash) {
    return lines.bad(line,
                     "a row of mfscli -SHD has address:port:folder, chunks, the last error and a status");
  }
  const auto name = host(lines, line, cells[0].substr(0, port));
  if (!name) return tl::unexpected<Error>(name.error());
  const std::string folder = cells[0].substr(slash + 1);
  servers_[*name].folders.push_back(folder);
  if (cells[kStatus] != "ok") unwell_[cells[kStatus]].push_back(*name + ":" + folder);
  return {};
}

Status MooseFsImport::read(const SavedText& file) {
  SavedLines lines(file);
  bool found = false;
  while (const auto line = lines.next()) {
    const bool server = line->text.starts_with(kServerRow);
    if (!server && !line->text.starts_with(kDiskRow)) continue;
    found = true;
    const std::size_t key = server ? kServerRow.size() : kDiskRow.size();
    const std::vector<std::string> cells = cells_of(line->text.substr(key));
    Status taken = server ? server_row(lines, *line, cells) : disk_row(lines, *line, cells);
    if (!taken) return taken;
  }
  if (found) return {};
  return fail(ErrorCode::kBadInput, file.path,
              "holds no rows of mfscli -SCS or -SHD in its plain form (-p, or printed into a file)");
}

Result<SystemSketch> MooseFsImport::take() {
  SystemSketch sketch;
  std::map<std::string, std::vector<std::string>> by_labels;
  std::set<std::size_t> folder_counts;
  for (const auto& [name, server] : servers_) {
    by_labels[fmt::format("{}", fmt::join(server.labels, " "))].push_back(name);
    folder_counts.insert(server.folders.size());
    sketch.servers.push_back({.name = name, .addresses = addresses_.of(name), .peers = DiskPeers::kAll});
  }
  sketch.notes.head = {imported_from("MooseFS")};
  std::vector<std::string>& notes = sketch.notes.servers;
  notes.emplace_back(
      "Chunk servers. MooseFS knows the folders of their disks, not the devices below them: without 'device' "
      "or 'devices' those are compared that are under load in the recording, all with all.");
  if (folder_counts.size() > 1) {
    notes.emplace_back("Not all have equally many disks.");
  }
  std::size_t shown = 0;
  constexpr std::size_t kMost = 64;
  for (const auto& [name, server] : servers_) {
    if (server.folders.empty() || ++shown > kMost) continue;
    notes.push_back(fmt::format("Folders of {}: {}.", name, fmt::join(server.folders, " ")));
  }
  if (by_labels.size() > 1) {
    notes.emplace_back(
        "Labels differ, so that not all may hold the same kind of data; set = \"...\" would keep them "
        "apart.");
    for (const auto& [labels, names] : by_labels) {
      notes.push_back(fmt::format("Labels {}: {}.", labels.empty() ? "none" : labels, listed(names)));
    }
  }
  for (const auto& [state, folders] : unwell_)
    notes.push_back(fmt::format("Not ok but '{}' when this was saved: {}.", state, fmt::join(folders, " ")));
  if (!maintained_.empty())
    notes.push_back(fmt::format("In maintenance when this was saved: {}.", listed(maintained_)));
  if (!unnamed_.empty()) {
    notes.push_back(fmt::format(
        "MooseFS knows servers by address: name them in a site map ([[hosts]] name, called), or here, as the "
        "recordings call them: {}.",
        listed(std::vector<std::string>(unnamed_.begin(), unnamed_.end()))));
  }
  sketch.notes.end = {
      "Clients and masters are not in these files; hosts that no table names count as clients.",
      missing_in_general()};
  apply_site_map(map_, sketch);
  return sketch;
}

}  // namespace

Result<SystemSketch> import_moosefs(std::span<const SavedText> files, const SiteMap& map) {
  MooseFsImport import(map);
  for (const SavedText& file : files) {
    if (Status read = import.read(file); !read) return forward(read);
  }
  return import.take();
}

}  // namespace laggard::topology
