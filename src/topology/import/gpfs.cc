#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "base/text.h"
#include "topology/import/gpfs_tables.h"
#include "topology/import/hosts.h"
#include "topology/import/import.h"

namespace laggard::topology {

namespace {

/// Makes a sketch from GPFS tables.
class GpfsImport {
 public:
  GpfsImport(const GpfsTables& tables, const SiteMap& map) : tables_(tables), map_(map), hosts_(map) {}

  Result<SystemSketch> run();

 private:
  Result<std::string> host(const std::string& printed, const std::string& place);
  Status collect_nsds();
  Status collect_devices();
  Status add_luns();
  Status add_hosts();
  [[nodiscard]] std::string set_of(const GpfsTables::Nsd& nsd) const;
  void choose_sets();
  void note_disks();
  void note_luns();

  const GpfsTables& tables_;
  const SiteMap& map_;
  HostNames hosts_;
  SystemSketch sketch_;
  std::vector<GpfsTables::Nsd> nsds_;
  bool order_known_ = true;
  std::unordered_map<std::string, const GpfsTables::Disk*> disks_;      ///< By NSD.
  std::map<std::pair<std::string, std::string>, std::string> devices_;  ///< By NSD and host.
  std::set<std::string> servers_;
  bool by_filesystem_ = false;
  bool by_pool_ = false;
  bool by_usage_ = false;
  std::vector<std::string> unattached_;
  std::vector<std::string> free_;
  std::vector<std::string> lost_;  ///< `host/nsd` without a device.
};

Result<std::string> GpfsImport::host(const std::string& printed, const std::string& place) {
  auto name = hosts_.name(printed);
  if (!name) name.error().where = place;
  return name;
}

/// NSDs with their servers; where only -m or -X was saved, its rows in their order.
Status GpfsImport::collect_nsds() {
  std::unordered_map<std::string, std::size_t> seen;
  for (const auto& nsd : tables_.nsds) {
    const auto [known, added] = seen.emplace(nsd.name, nsds_.size());
    if (added) {
      nsds_.push_back(nsd);
      continue;
    }
    // The plain form and -L list the same servers; a contradiction is somebody's mistake.
    const auto& other = nsds_[known->second];
    if (other.servers == nsd.servers) continue;
    return fail(ErrorCode::kBadInput, nsd.place,
                fmt::format("the servers of '{}' differ from those at {}", excerpt(nsd.name), other.place));
  }
  if (!nsds_.empty()) return {};
  order_known_ = false;
  std::map<std::string, std::size_t> index;
  for (const auto& device : tables_.devices) {
    if (!device.server) continue;
    const auto [entry, added] = index.emplace(device.nsd, nsds_.size());
    if (added) nsds_.push_back({.name = device.nsd, .filesystem = "-", .servers = {}, .place = device.place});
    nsds_[entry->second].servers.push_back(device.node);
  }
  if (!nsds_.empty()) return {};
  return fail(ErrorCode::kBadInput, "", "no NSD with servers is in these files; save the output of mmlsnsd");
}

Status GpfsImport::collect_devices() {
  for (const auto& device : tables_.devices) {
    const auto server = host(device.node, device.place);
    if (!server) return tl::unexpected<Error>(server.error());
    const auto [known, added] = devices_.emplace(std::pair{device.nsd, *server}, device.device);
    if (!added && known->second != device.device) {
      return fail(ErrorCode::kBadInput, device.place,
                  fmt::format("'{}' is '{}' on {} here, but '{}' elsewhere", excerpt(device.nsd),
                              excerpt(device.device), excerpt(*server), excerpt(known->second)));
    }
  }
  return {};
}

/// What separates NSDs into sets of peers: only what is not the same for all of them.
void GpfsImport::choose_sets() {
  std::set<std::string> filesystems;
  std::set<std::string> pools;
  std::set<std::pair<bool, bool>> usages;
  for (const auto& disk : tables_.disks) disks_.emplace(disk.nsd, &disk);
  for (const auto& nsd : nsds_) {
    filesystems.insert(nsd.filesystem);
    const auto disk = disks_.find(nsd.name);
    pools.insert(disk == disks_.end() ? "" : disk->second->pool);
    usages.insert(disk == disks_.end() ? std::pair{true, true}
                                       : std::pair{disk->second->metadata, disk->second->data});
  }
  filesystems.erase("");
  by_filesystem_ = filesystems.size() > 1;
  by_pool_ = pools.size() > 1;
  by_usage_ = usages.size() > 1;
}

std::string GpfsImport::set_of(const GpfsTables::Nsd& nsd) const {
  std::vector<std::string> parts;
  if (by_filesystem_) parts.push_back(nsd.filesystem);
  if (const auto disk = disks_.find(nsd.name); disk != disks_.end()) {
    if (by_pool_ && !disk->second->pool.empty()) parts.push_back(disk->second->pool);
    if (by_usage_ && !disk->second->data) parts.emplace_back("metadata");
    if (by_usage_ && !disk->second->metadata) parts.emplace_back("data");
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

Status GpfsImport::add_luns() {
  choose_sets();
  for (const auto& nsd : nsds_) {
    if (nsd.filesystem.empty()) {
      free_.push_back(nsd.name);
      continue;
    }
    if (nsd.servers.empty()) {
      unattached_.push_back(nsd.name);
      continue;
    }
    SystemSketch::Lun lun{.name = nsd.name, .set = set_of(nsd)};
    for (const std::string& printed : nsd.servers) {
      const auto server = host(printed, nsd.place);
      if (!server) return tl::unexpected<Error>(server.error());
      servers_.insert(*server);
      const auto device = devices_.find({nsd.name, *server});
      const bool lost = device != devices_.end() && device->second.empty();
      if (lost) lost_.push_back(*server + "/" + nsd.name);
      lun.paths.push_back({*server, device == devices_.end() || lost ? nsd.name : device->second});
    }
    sketch_.luns.push_back(std::move(lun));
  }
  if (!sketch_.luns.empty()) return {};
  return fail(ErrorCode::kBadInput, nsds_.front().place,
              "none of the NSDs is on a file system and has servers");
}

Status GpfsImport::add_hosts() {
  std::map<std::string, std::string> addresses;
  for (const auto& node : tables_.nodes) {
    const auto name = host(node.daemon_name, node.place);
    if (!name) return tl::unexpected<Error>(name.error());
    addresses.emplace(*name, node.address);
    if (!servers_.contains(*name)) sketch_.clients.push_back(*name);
  }
  for (const std::string& server : servers_) {
    SystemSketch::Server& entry = sketch_.servers.emplace_back();
    entry.name = server;
    if (const auto address = addresses.find(server); address != addresses.end()) {
      entry.addresses.push_back(address->second);
    }
  }
  if (tables_.nodes.empty()) {
    sketch_.notes.servers.emplace_back(
        "Without addresses and clients: save the output of mmlscluster too, or leave both to the recording.");
  }
  if (!sketch_.clients.empty()) {
    sketch_.notes.clients.emplace_back(
        "Nodes that serve no NSD. Without addresses, so that nodes of other clusters count as clients too.");
  }
  return {};
}

void GpfsImport::note_disks() {
  std::vector<std::string>& notes = sketch_.notes.luns;
  std::map<std::string, std::vector<std::string>> unwell;
  std::map<std::string, std::vector<std::string>> failure_groups;
  for (const auto& disk : tables_.disks) {
    if (disk.status != "ready" || disk.availability != "up") {
      unwell[fmt::format("{}, {}", disk.status, disk.availability)].push_back(disk.nsd);
    }
    failure_groups[disk.failure_group].push_back(disk.nsd);
  }
  for (const auto& [state, names] : unwell) {
    notes.push_back(
        fmt::format("Members all the same, but {} when this was saved: {}.", state, listed(names)));
  }
  if (failure_groups.size() < 2 || !map_.arrays.empty()) return;
  sketch_.notes.arrays.emplace_back(
      "mmlsdisk knows failure groups, which often are arrays; the arrays themselves and their controllers "
      "are "
      "for a site map to tell (--map).");
  constexpr std::size_t kMost = 16;
  std::size_t shown = 0;
  for (const auto& [group, names] : failure_groups) {
    if (++shown > kMost) break;
    sketch_.notes.arrays.push_back(fmt::format("Failure group {}: {}.", group, listed(names)));
  }
}

void GpfsImport::note_luns() {
  std::vector<std::string>& notes = sketch_.notes.luns;
  if (!order_known_) {
    notes.emplace_back(
        "The order of the servers is that of the rows of mmlsnsd -m or -X, which is not their priority: save "
        "mmlsnsd (plain or -L) too.");
  }
  if (tables_.devices.empty()) {
    notes.emplace_back(
        "Each server is taken to call the device of an NSD by the name of the NSD, as multipath aliases "
        "often "
        "do. Where that is not so, save the output of mmlsnsd -X too.");
  } else {
    notes.emplace_back(
        "Devices as mmlsnsd showed them when it was saved. Names such as dm-3 and sdb can change with a "
        "boot; "
        "multipath aliases, WWNs and by-id links do not, and can stand here too.");
  }
  if (!lost_.empty()) {
    notes.push_back(fmt::format(
        "mmlsnsd found no device of these, which stand here by the NSD's name, as lost: {}.", listed(lost_)));
  }
  if (!free_.empty()) notes.push_back(fmt::format("Left out, on no file system: {}.", listed(free_)));
  if (!unattached_.empty()) {
    notes.push_back(fmt::format("Left out, without NSD servers (every node reaches them directly): {}.",
                                listed(unattached_)));
  }
}

Result<SystemSketch> GpfsImport::run() {
  // The admin name is closer to what a host calls itself than that of its interface to the file system.
  for (const auto& node : tables_.nodes) hosts_.alias(node.daemon_name, node.admin_name);
  if (Status collected = collect_nsds(); !collected) return forward(collected);
  if (Status collected = collect_devices(); !collected) return forward(collected);
  if (Status added = add_luns(); !added) return forward(added);
  if (Status added = add_hosts(); !added) return forward(added);
  sketch_.name = tables_.cluster;
  sketch_.notes.head = {imported_from("GPFS")};
  note_luns();
  note_disks();
  if (map_.arrays.empty() && sketch_.notes.arrays.empty()) {
    sketch_.notes.arrays.emplace_back(
        "GPFS does not know arrays and controllers: tell them in a site map (--map), or add [[arrays]] "
        "here.");
  }
  sketch_.notes.end = {missing_in_general()};
  apply_site_map(map_, sketch_);
  return std::move(sketch_);
}

}  // namespace

Result<SystemSketch> import_gpfs(std::span<const SavedText> files, const SiteMap& map) {
  auto tables = read_gpfs_tables(files);
  if (!tables) return forward(tables);
  return GpfsImport(*tables, map).run();
}

}  // namespace laggard::topology
