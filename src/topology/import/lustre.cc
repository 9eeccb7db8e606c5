#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "topology/import/hosts.h"
#include "topology/import/import.h"
#include "topology/import/lustre_facts.h"

namespace laggard::topology {

namespace {

std::string address_of(const std::string& nid) { return nid.substr(0, nid.find('@')); }

/// Makes a sketch from Lustre's facts.
class LustreImport {
 public:
  LustreImport(const LustreFacts& facts, const SiteMap& map) : facts_(facts), map_(map), names_(map) {}

  Result<SystemSketch> run();

 private:
  Status name_hosts();
  void learn_nids();
  std::string host_of(const std::string& nid);
  std::vector<std::string> servers_of(const std::string& name, const LustreFacts::Target& target);
  void add_target(const std::string& name, const LustreFacts::Target& target);
  [[nodiscard]] std::string device_of(const LustreFacts::Target& target, const std::string& host) const;
  void add_servers();
  void note_luns();

  const LustreFacts& facts_;
  const SiteMap& map_;
  HostNames names_;
  std::map<std::string, std::string> hosts_;        ///< As printed -> as recorded.
  std::map<std::string, std::string> host_by_nid_;  ///< Empty: two hosts claim it.
  std::map<std::string, std::set<std::string>> nids_by_host_;
  std::map<std::string, bool> servers_;  ///< Whether it can have an OST.
  std::set<std::string> unnamed_;        ///< Servers known by address alone.
  std::set<std::string> inferred_;       ///< NIDs that were inferred from what is mounted where.
  std::vector<std::string> alone_;       ///< Targets with one known server.
  std::vector<std::string> moved_;       ///< Targets that are not on their first server.
  std::vector<std::string> nowhere_;
  std::map<std::string, std::vector<std::string>> trouble_;
  bool by_filesystem_ = false;
  bool zfs_ = false;
  bool devices_known_ = false;
  SystemSketch sketch_;
};

Status LustreImport::name_hosts() {
  for (const std::string& printed : facts_.hosts) {
    auto name = names_.name(printed);
    if (!name) return forward(name);
    hosts_.emplace(printed, std::move(*name));
  }
  return {};
}

/// A NID belongs to the host that printed it, or to the host with the target that a client reaches by it.
void LustreImport::learn_nids() {
  const auto claim = [&](const std::string& nid, const std::string& host) {
    const auto [entry, added] = host_by_nid_.emplace(nid, host);
    if (!added && entry->second != host) entry->second.clear();
  };
  for (const auto& [printed, nids] : facts_.nids) {
    for (const std::string& nid : nids) claim(nid, hosts_.at(printed));
  }
  const std::map<std::string, std::string> told = host_by_nid_;
  for (const auto& [name, target] : facts_.targets) {
    if (target.mounted_on.size() != 1) continue;
    for (const std::string& nid : target.connected_to) {
      if (told.contains(nid)) continue;
      claim(nid, hosts_.at(*target.mounted_on.begin()));
      inferred_.insert(nid);
    }
  }
  for (const auto& [nid, host] : host_by_nid_) {
    if (!host.empty()) nids_by_host_[host].insert(nid);
  }
}

std::string LustreImport::host_of(const std::string& nid) {
  std::string address = address_of(nid);
  for (const std::string& called : {nid, address}) {
    const auto told = map_.hosts.find(called);
    if (told == map_.hosts.end()) continue;
    nids_by_host_[told->second].insert(nid);
    return told->second;
  }
  const auto known = host_by_nid_.find(nid);
  if (known != host_by_nid_.end() && !known->second.empty()) return known->second;
  unnamed_.insert(address);
  return address;
}

/// The block device where one is known. The target itself, whose statistics are recorded under its name,
/// where it is on ZFS or nothing is known.
std::string LustreImport::device_of(const LustreFacts::Target& target, const std::string& host) const {
  const std::string* device = nullptr;
  for (const auto& [printed, mounted] : target.devices) {
    if (device == nullptr || hosts_.at(printed) == host) device = &mounted;
  }
  if (device == nullptr || !device->starts_with("/dev/")) return "";
  return device->substr(device->rfind('/') + 1);
}

/// The servers of a target, first choice first: as configured, then where it is mounted, then where a client
/// found it.
std::vector<std::string> LustreImport::servers_of(const std::string& name,
                                                  const LustreFacts::Target& target) {
  std::vector<std::string> servers;
  const auto add = [&](const std::string& server) {
    if (std::find(servers.begin(), servers.end(), server) == servers.end()) servers.push_back(server);
  };
  for (const std::string& nid : target.nids) add(host_of(nid));
  const bool configured = !servers.empty();
  for (const std::string& printed : target.mounted_on) {
    const std::string& host = hosts_.at(printed);
    if (configured && servers.front() != host) moved_.push_back(fmt::format("{} (on {})", name, host));
    add(host);
  }
  if (!servers.empty()) return servers;
  for (const std::string& nid : target.connected_to) add(host_of(nid));
  return servers;
}

void LustreImport::add_target(const std::string& name, const LustreFacts::Target& target) {
  const LustreTarget parts = lustre_target(name).value_or(LustreTarget{});
  const std::vector<std::string> servers = servers_of(name, target);
  if (servers.empty()) {
    nowhere_.push_back(name);
    return;
  }
  if (servers.size() == 1) alone_.push_back(name);
  if (!target.trouble.empty()) trouble_[target.trouble].push_back(name);
  SystemSketch::Lun lun{.name = name};
  if (by_filesystem_) lun.set = parts.filesystem;
  if (parts.metadata) lun.set += lun.set.empty() ? "metadata" : " metadata";
  for (const std::string& server : servers) {
    servers_[server] = servers_[server] || !parts.metadata;
    const std::string device = device_of(target, server);
    devices_known_ = devices_known_ || !device.empty();
    lun.paths.push_back({server, device.empty() ? name : device});
  }
  for (const auto& [host, device] : target.devices) zfs_ = zfs_ || !device.starts_with("/dev/");
  sketch_.luns.push_back(std::move(lun));
}

void LustreImport::add_servers() {
  HostAddresses addresses;
  for (const auto& [host, nids] : nids_by_host_) {
    for (const std::string& nid : nids) addresses.add(host, address_of(nid));
  }
  for (const std::string& address : unnamed_) addresses.add(address, address);
  for (const auto& [name, has_ost] : servers_) {
    sketch_.servers.push_back({.name = name,
                               .role = has_ost ? HostRole::kServer : HostRole::kMetadataServer,
                               .addresses = addresses.of(name)});
  }
  if (!unnamed_.empty()) {
    sketch_.notes.servers.push_back(fmt::format(
        "Servers called by their address, because nothing says which host has it: {}. Save `lctl list_nids` "
        "of every server, or name them in a site map ([[hosts]] name, called).",
        listed(std::vector<std::string>(unnamed_.begin(), unnamed_.end()))));
  }
  if (!inferred_.empty()) {
    sketch_.notes.servers.push_back(
        fmt::format("Taken to belong to the server that has the target reached by it: {}.",
                    listed(std::vector<std::string>(inferred_.begin(), inferred_.end()))));
  }
}

void LustreImport::note_luns() {
  std::vector<std::string>& notes = sketch_.notes.luns;
  notes.emplace_back(
      "OSTs and MDTs, each with the servers that can have it in the order in which clients try them. An "
      "attachment to a server that does not have the target mounted shows nothing, as it should.");
  if (!devices_known_) {
    notes.emplace_back(
        "Devices are the targets themselves: what `laggard record` finds in Lustre's statistics under their "
        "names. Write the block device instead where you record that.");
  } else {
    notes.emplace_back(
        "Devices as osd-*.mntdev shows them; a server whose own view was not saved is taken to use the same "
        "name. Names such as sdb can change with a boot: WWNs and multipath aliases can stand here too.");
  }
  if (zfs_) {
    notes.emplace_back(
        "Targets on ZFS are no block devices: they stand here by their own name, under which `laggard "
        "record` "
        "finds Lustre's statistics of them.");
  }
  if (!alone_.empty()) {
    notes.push_back(fmt::format(
        "With one known server: {}. Where there is a failover partner, save `lctl get_param osc.*.import "
        "osp.*.import mdc.*.import` of a client or of an MDS.",
        listed(alone_)));
  }
  if (!moved_.empty())
    notes.push_back(
        fmt::format("Not on the first of their servers when this was saved: {}.", listed(moved_)));
  for (const auto& [state, names] : trouble_)
    notes.push_back(
        fmt::format("Members all the same, but {} when this was saved: {}.", state, listed(names)));
  if (!nowhere_.empty()) {
    notes.push_back(
        fmt::format("Left out, because nothing shows their servers: {}. Save `lctl dl` of every server.",
                    listed(nowhere_)));
  }
}

Result<SystemSketch> LustreImport::run() {
  if (Status named = name_hosts(); !named) return forward(named);
  learn_nids();
  std::set<std::string_view> filesystems;
  for (const auto& [name, target] : facts_.targets) {
    if (const auto parts = lustre_target(name)) filesystems.insert(parts->filesystem);
  }
  by_filesystem_ = filesystems.size() > 1;
  for (const auto& [name, target] : facts_.targets) add_target(name, target);
  if (sketch_.luns.empty()) {
    return fail(
        ErrorCode::kBadInput, "",
        facts_.targets.empty()
            ? "no OST or MDT is in these files; save `lctl dl` of every server"
            : "nothing in these files shows which server has which target; save `lctl dl` of every server");
  }
  add_servers();
  if (filesystems.size() == 1) sketch_.name = *filesystems.begin();
  sketch_.notes.head = {imported_from("Lustre")};
  note_luns();
  if (map_.arrays.empty()) {
    sketch_.notes.arrays.emplace_back(
        "Lustre does not know arrays and controllers: tell them in a site map (--map), or add [[arrays]] "
        "here.");
  }
  sketch_.notes.end = {"Clients are not in these files; hosts that no table names count as clients.",
                       missing_in_general()};
  apply_site_map(map_, sketch_);
  return std::move(sketch_);
}

}  // namespace

Result<SystemSketch> import_lustre(std::span<const SavedText> files, const SiteMap& map) {
  auto facts = read_lustre_facts(files);
  if (!facts) return forward(facts);
  return LustreImport(*facts, map).run();
}

}  // namespace laggard::topology
