#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "topology/import/ceph_facts.h"
#include "topology/import/hosts.h"
#include "topology/import/import.h"

namespace laggard::topology {

namespace {

/// OSDs get work in proportion to their weight: those within this ratio of the lightest are peers.
constexpr double kSameWeight = 1.1;
constexpr std::size_t kFewestPeers = 3;

/// Makes a sketch from Ceph's facts.
class CephImport {
 public:
  CephImport(const CephFacts& facts, const SiteMap& map) : facts_(facts), map_(map), names_(map) {}

  Result<SystemSketch> run();

 private:
  using OsdId = std::int64_t;

  Status place_osds();
  [[nodiscard]] std::map<OsdId, std::vector<const CephFacts::Bucket*>> ancestors() const;
  void find_disks();
  std::map<std::string, std::vector<OsdId>> peers();
  void add_groups();
  void add_servers();
  void add_domains();
  void note_osds();

  const CephFacts& facts_;
  const SiteMap& map_;
  HostNames names_;
  HostAddresses addresses_;
  SystemSketch sketch_;
  std::map<OsdId, std::vector<const CephFacts::Bucket*>> above_;  ///< Nearest first.
  std::map<OsdId, std::string> hosts_;
  std::map<OsdId, std::string> disks_;  ///< Of OSDs that take part in comparisons.
  std::vector<std::string> out_;
  std::vector<std::string> without_disk_;
};

std::string osd_name(std::int64_t id) { return fmt::format("osd.{}", id); }

/// The buckets above each OSD, nearest first. A cyclic tree ends after as many steps as it has buckets.
std::map<CephImport::OsdId, std::vector<const CephFacts::Bucket*>> CephImport::ancestors() const {
  std::map<std::int64_t, std::int64_t> parents;
  for (const auto& [id, bucket] : facts_.buckets) {
    for (const std::int64_t child : bucket.children) parents.emplace(child, id);
  }
  std::map<OsdId, std::vector<const CephFacts::Bucket*>> above;
  for (const auto& [id, osd] : facts_.osds) {
    auto& chain = above[id];
    for (auto parent = parents.find(id); parent != parents.end() && chain.size() < facts_.buckets.size();
         parent = parents.find(parent->second)) {
      const auto bucket = facts_.buckets.find(parent->second);
      if (bucket == facts_.buckets.end()) break;
      chain.push_back(&bucket->second);
    }
  }
  return above;
}

Status CephImport::place_osds() {
  above_ = ancestors();
  std::vector<std::string> homeless;
  for (const auto& [id, osd] : facts_.osds) {
    std::string printed = osd.host;
    for (const auto* bucket : above_[id]) {
      if (printed.empty() && bucket->type == "host") printed = bucket->name;
    }
    if (printed.empty()) {
      homeless.push_back(osd_name(id));
      continue;
    }
    auto name = names_.name(printed);
    if (!name) return forward(name);
    for (const std::string& address : osd.addresses) addresses_.add(*name, address);
    hosts_.emplace(id, std::move(*name));
  }
  if (!homeless.empty())
    sketch_.notes.servers.push_back(fmt::format("Left out, on no known host: {}.", listed(homeless)));
  if (!hosts_.empty()) return {};
  return fail(ErrorCode::kBadInput, "", "no OSD in these files is on a host; save `ceph osd tree -f json`");
}

void CephImport::find_disks() {
  std::set<std::string> taken;
  for (const auto& [id, host] : hosts_) {
    const CephFacts::Osd& osd = facts_.osds.at(id);
    const bool weightless = osd.in_tree && !(osd.weight > 0 && osd.reweight > 0);
    if (weightless || osd.status == "destroyed") {
      out_.push_back(osd_name(id));
      continue;
    }
    const std::string disk = data_device(facts_, osd);
    // Two OSDs on one disk are one component, which a system file names once.
    if (disk.empty() || !taken.insert(fmt::format("{}/{}", host, disk)).second) {
      without_disk_.push_back(osd_name(id));
      continue;
    }
    disks_.emplace(id, disk);
  }
}

/// OSDs of one device class and nearly one weight, by the name of the group.
std::map<std::string, std::vector<CephImport::OsdId>> CephImport::peers() {
  std::map<std::string, std::vector<std::pair<double, OsdId>>> by_class;
  for (const auto& [id, disk] : disks_) {
    const CephFacts::Osd& osd = facts_.osds.at(id);
    by_class[osd.device_class].emplace_back(osd.weight, id);
  }
  std::map<std::string, std::vector<OsdId>> out;
  for (auto& [device_class, osds] : by_class) {
    std::sort(osds.begin(), osds.end());
    const std::string what = device_class.empty() ? "OSDs" : device_class + " OSDs";
    const bool one_weight = osds.back().first <= kSameWeight * osds.front().first;
    double lightest = osds.front().first;
    for (const auto& [weight, id] : osds) {
      if (weight > kSameWeight * lightest) lightest = weight;
      out[one_weight ? what : fmt::format("{}, weight {:.2f}", what, lightest)].push_back(id);
    }
  }
  return out;
}

/// One class and weight needs no groups: all disks of all servers are peers.
void CephImport::add_groups() {
  const auto groups = peers();
  if (groups.size() < 2) return;
  for (const auto& [name, osds] : groups) {
    std::vector<std::string> members;
    std::vector<std::string> names;
    for (const OsdId id : osds) {
      members.push_back(hosts_.at(id) + "/" + disks_.at(id));
      names.push_back(osd_name(id));
    }
    if (members.size() < kFewestPeers) {
      sketch_.notes.groups.push_back(
          fmt::format("Left out, too few of a kind ({}): {}.", name, listed(names)));
      for (const OsdId id : osds) disks_.erase(id);
      continue;
    }
    sketch_.notes.groups.push_back(fmt::format("{}: {}.", name, listed(names)));
    sketch_.groups.push_back({name, std::move(members)});
  }
}

void CephImport::add_servers() {
  std::map<std::string, std::vector<std::string>> disks;
  for (const auto& [id, disk] : disks_) disks[hosts_.at(id)].push_back(disk);
  std::set<std::string> hosts;
  for (const auto& [id, host] : hosts_) hosts.insert(host);
  for (const std::string& host : hosts) {
    SystemSketch::Server server{.name = host, .addresses = addresses_.of(host), .peers = DiskPeers::kAll};
    if (const auto own = disks.find(host); own != disks.end()) server.devices = own->second;
    if (server.devices.empty() && !disks.empty()) {
      sketch_.notes.servers.push_back(fmt::format("Left out, without an OSD on a known device: {}.", host));
      continue;
    }
    sketch_.servers.push_back(std::move(server));
  }
  if (!disks.empty()) return;
  sketch_.notes.servers.emplace_back(
      "`ceph osd tree` knows no devices: save `ceph osd metadata -f json` or `ceph device ls -f json` too. "
      "Without devices those are compared that are under load, all with all, whatever their class and size.");
}

/// Racks and the like become drawers: a part that many OSDs share and that may be to blame.
void CephImport::add_domains() {
  std::map<std::string, std::pair<std::string, std::set<std::string>>> members;  // name -> type, disks
  std::map<std::string, std::set<std::string>> hosts;
  for (const auto& [id, chain] : above_) {
    if (!hosts_.contains(id)) continue;
    for (const auto* bucket : chain) {
      if (bucket->type == "host" || bucket->type == "root") continue;
      hosts[fmt::format("{} {}", bucket->type, bucket->name)].insert(hosts_.at(id));
      if (!disks_.contains(id)) continue;
      auto& [type, disks] = members[bucket->name];
      type = bucket->type;
      disks.insert(hosts_.at(id) + "/" + disks_.at(id));
    }
  }
  for (const auto& [name, type_and_disks] : members) {
    const auto& [type, disks] = type_and_disks;
    sketch_.drawers.push_back(
        {.name = name, .array = "", .luns = {}, .devices = {disks.begin(), disks.end()}, .called = type});
  }
  if (!members.empty()) {
    sketch_.notes.drawers.emplace_back(
        "Failure domains of the CRUSH map, to be blamed when many of their disks are sick at once.");
  }
  for (const auto& [name, of_domain] : hosts) {
    sketch_.notes.drawers.push_back(
        fmt::format("{}: {}.", name, listed(std::vector<std::string>(of_domain.begin(), of_domain.end()))));
  }
}

void CephImport::note_osds() {
  std::vector<std::string>& notes = sketch_.notes.servers;
  std::vector<std::string> down;
  std::vector<std::string> lighter;
  for (const auto& [id, host] : hosts_) {
    const CephFacts::Osd& osd = facts_.osds.at(id);
    if (osd.status == "down") down.push_back(osd_name(id));
    if (osd.reweight < 1 && osd.reweight > 0) lighter.push_back(osd_name(id));
  }
  if (!out_.empty())
    notes.push_back(fmt::format("Left out, out of the cluster (weight 0 or destroyed): {}.", listed(out_)));
  if (!down.empty()) {
    notes.push_back(fmt::format("Members all the same, but down when this was saved: {}.", listed(down)));
  }
  if (!lighter.empty()) {
    notes.push_back(
        fmt::format("Reweighted below 1, so that they get less work than their peers: {}.", listed(lighter)));
  }
  if (!disks_.empty() && !without_disk_.empty()) {
    notes.push_back(fmt::format("Left out, without a data device of their own: {}.", listed(without_disk_)));
  }
  std::set<std::string> compared;
  for (const auto& [id, disk] : disks_) compared.insert(hosts_.at(id) + "/" + disk);
  std::vector<std::string> shared;
  for (const auto& [device, users] : facts_.users) {
    if (users.size() > 1 && !compared.contains(device)) shared.push_back(device);
  }
  if (!shared.empty()) {
    notes.push_back(fmt::format(
        "Devices of several OSDs, such as those of their databases, are not compared: {}.", listed(shared)));
  }
  if (!disks_.empty()) {
    notes.emplace_back(
        "Devices as the OSDs saw them when they started. Names such as sdb can change with a boot; by-id "
        "links "
        "and WWNs do not, and can stand here too.");
  }
}

Result<SystemSketch> CephImport::run() {
  if (Status placed = place_osds(); !placed) return forward(placed);
  sketch_.notes.head = {imported_from("Ceph")};
  find_disks();
  add_groups();
  add_servers();
  add_domains();
  note_osds();
  sketch_.notes.end = {
      "Clients, monitors and metadata servers are not in these files; hosts that no table names count as "
      "clients.",
      missing_in_general()};
  apply_site_map(map_, sketch_);
  return std::move(sketch_);
}

}  // namespace

Result<SystemSketch> import_ceph(std::span<const SavedText> files, const SiteMap& map) {
  auto facts = read_ceph_facts(files);
  if (!facts) return forward(facts);
  return CephImport(*facts, map).run();
}

}  // namespace laggard::topology
