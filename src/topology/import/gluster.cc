#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <pugixml.hpp>
#include <set>

#include "topology/import/hosts.h"
#include "topology/import/import.h"

namespace laggard::topology {

namespace {

/// IQR-based bins survive one sick member from five members on (T §6.2.3); smaller sets of bricks are
/// compared over their whole volume instead.
constexpr std::size_t kSetWorthAGroup = 5;

struct Brick {
  std::string host;
  std::string path;
  bool arbiter = false;
};

struct Volume {
  std::string name;
  std::string type;
  std::size_t set_size = 1;  ///< Bricks of one replica or disperse set, which follow each other.
  std::vector<Brick> bricks;
};

/// `/dev/sdb1` -> `sdb`, `/dev/nvme0n1p1` -> `nvme0n1`, `/dev/mapper/vg-brick1` -> `vg-brick1`: whole disks
/// are what is recorded. Empty when it is no device.
std::string disk_of(std::string_view device) {
  if (!device.starts_with("/dev/")) return "";
  std::string name(device.substr(device.rfind('/') + 1));
  const std::size_t digits = name.find_last_not_of("0123456789");
  if (digits == std::string::npos || digits + 1 == name.size()) return name;
  const bool letters = name.starts_with("sd") || name.starts_with("vd") || name.starts_with("xvd");
  if (letters && digits > 1) return name.substr(0, digits + 1);
  const bool numbered = name.starts_with("nvme") || name.starts_with("mmcblk");
  if (numbered && name[digits] == 'p' && digits > 4) return name.substr(0, digits);
  return name;
}

/// Makes a sketch from gluster's XML.
class GlusterImport {
 public:
  explicit GlusterImport(const SiteMap& map) : map_(map), names_(map) {}

  Status read(const SavedText& file);
  Result<SystemSketch> take();

 private:
  Status volume(const SavedText& file, const pugi::xml_node& node);
  Status brick(const SavedText& file, const pugi::xml_node& node, Volume& volume);
  void status_node(const pugi::xml_node& node);
  Result<std::string> host(const SavedText& file, const pugi::xml_node& node, const std::string& printed,
                           const std::string& uuid);
  void place_bricks();
  void place_brick(const Volume& volume, std::size_t index);
  void add_groups(SystemSketch& sketch);
  void add_notes(SystemSketch& sketch);

  const SiteMap& map_;
  HostNames names_;
  HostAddresses addresses_;
  std::map<std::string, std::string> host_by_uuid_;
  std::map<std::string, Volume> volumes_;
  std::map<std::string, std::string> devices_;                 ///< By `printed host:path`.
  std::set<std::string> offline_;                              ///< The same.
  std::map<std::string, std::string> printed_;                 ///< `host:path` -> `printed host:path`.
  std::map<std::string, std::set<std::string>> disks_;         ///< By host, those with data.
  std::map<std::string, std::set<std::string>> users_;         ///< By `host/disk`: groups of peers on it.
  std::map<std::string, std::vector<std::string>> bricks_of_;  ///< By host, for the comments.
  std::vector<std::string> unplaced_;
  std::vector<std::string> arbiters_;
};

std::string place_of(const SavedText& file, std::ptrdiff_t offset) {
  const auto end = file.text.begin() +
                   std::clamp<std::ptrdiff_t>(offset, 0, static_cast<std::ptrdiff_t>(file.text.size()));
  return fmt::format("{}:{}", file.path, 1 + std::count(file.text.begin(), end, '\n'));
}

/// Two names of one machine, which have the same uuid, are one host, called by the first name.
Result<std::string> GlusterImport::host(const SavedText& file, const pugi::xml_node& node,
                                        const std::string& printed, const std::string& uuid) {
  auto name = names_.name(printed);
  if (!name) {
    name.error().where = place_of(file, node.offset_debug());
    return name;
  }
  if (!uuid.empty()) name = host_by_uuid_.emplace(uuid, *name).first->second;
  addresses_.add(*name, printed);
  return name;
}

/// `<brick uuid="…">host:/path<name>host:/path</name><hostUuid>…</hostUuid><isArbiter>0</isArbiter></brick>`.
Status GlusterImport::brick(const SavedText& file, const pugi::xml_node& node, Volume& volume) {
  std::string text = node.child_value("name");
  if (text.empty()) text = node.child_value();
  const std::size_t colon = text.find(":/");
  if (colon == std::string::npos || colon == 0) {
    return fail(ErrorCode::kBadInput, place_of(file, node.offset_debug()),
                fmt::format("the brick '{}' is not HOST:/PATH", excerpt(text)));
  }
  const std::string printed = text.substr(0, colon);
  auto name = host(file, node, printed, node.child_value("hostUuid"));
  if (!name) return forward(name);
  Brick& brick = volume.bricks.emplace_back();
  brick.host = std::move(*name);
  brick.path = text.substr(colon + 1);
  brick.arbiter = std::string_view(node.child_value("isArbiter")) == "1";
  printed_.emplace(brick.host + ":" + brick.path, text);
  return {};
}

Status GlusterImport::volume(const SavedText& file, const pugi::xml_node& node) {
  Volume volume;
  volume.name = node.child_value("name");
  volume.type = node.child_value("typeStr");
  const std::size_t disperse = node.child("disperseCount").text().as_uint();
  const std::size_t replica = node.child("replicaCount").text().as_uint(1);
  volume.set_size = std::max<std::size_t>(disperse > 0 ? disperse : replica, 1);
  for (const pugi::xml_node& child : node.child("bricks").children("brick")) {
    if (Status read = brick(file, child, volume); !read) return read;
  }
  if (volume.name.empty()) {
    return fail(ErrorCode::kBadInput, place_of(file, node.offset_debug()), "this volume has no name");
  }
  const std::string name = volume.name;
  volumes_.insert_or_assign(name, std::move(volume));
  return {};
}

/// A brick in `gluster volume status VOLUME detail`.
void GlusterImport::status_node(const pugi::xml_node& node) {
  const std::string brick = std::string(node.child_value("hostname")) + ":" + node.child_value("path");
  const std::string disk = disk_of(node.child_value("device"));
  if (!disk.empty()) devices_.emplace(brick, disk);
  if (std::string_view(node.child_value("status")) == "0") offline_.insert(brick);
}

Status GlusterImport::read(const SavedText& file) {
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_buffer(file.text.data(), file.text.size());
  if (!parsed) return fail(ErrorCode::kBadInput, place_of(file, parsed.offset), "is no XML from here on");
  const pugi::xml_node output = document.child("cliOutput");
  const std::string_view returned = output.child_value("opRet");
  if (!returned.empty() && returned != "0") {
    return fail(ErrorCode::kBadInput, file.path,
                fmt::format("holds an error of gluster: {}", excerpt(output.child_value("opErrstr"))));
  }
  const pugi::xml_node info = output.child("volInfo").child("volumes");
  const pugi::xml_node status = output.child("volStatus").child("volumes");
  if (!info && !status) {
    return fail(ErrorCode::kBadInput, file.path,
                "is neither `gluster volume info --xml` nor `gluster volume status all detail --xml`");
  }
  for (const pugi::xml_node& node : info.children("volume")) {
    if (Status read = volume(file, node); !read) return read;
  }
  for (const pugi::xml_node& of_volume : status.children("volume")) {
    for (const pugi::xml_node& node : of_volume.children("node")) status_node(node);
  }
  return {};
}

void GlusterImport::place_brick(const Volume& volume, std::size_t index) {
  const Brick& brick = volume.bricks[index];
  const std::string key = brick.host + ":" + brick.path;
  bricks_of_[brick.host].push_back(volume.name + ":" + brick.path);
  const auto device = devices_.find(printed_.at(key));
  if (brick.arbiter) {
    arbiters_.push_back(key);
    return;
  }
  if (device == devices_.end()) {
    unplaced_.push_back(key);
    return;
  }
  disks_[brick.host].insert(device->second);
  const std::size_t sets = volume.bricks.size() / volume.set_size;
  const bool by_set = volume.set_size >= kSetWorthAGroup && sets > 1;
  const std::size_t set = index / volume.set_size + 1;
  users_[brick.host + "/" + device->second].insert(by_set ? fmt::format("{}, set {}", volume.name, set)
                                                          : volume.name);
}

void GlusterImport::place_bricks() {
  for (const auto& [name, volume] : volumes_) {
    for (std::size_t i = 0; i < volume.bricks.size(); ++i) place_brick(volume, i);
  }
}

/// A group for each volume, or for each set of one, as long as no disk serves two of them.
void GlusterImport::add_groups(SystemSketch& sketch) {
  std::map<std::string, std::vector<std::string>> groups;
  bool shared = false;
  for (const auto& [disk, keys] : users_) {
    shared = shared || keys.size() > 1;
    for (const std::string& key : keys) groups[key].push_back(disk);
  }
  if (groups.size() < 2) return;
  if (shared) {
    sketch.notes.servers.emplace_back(
        "Disks carry bricks of several volumes, so that all of them are compared with all.");
    return;
  }
  for (auto& [name, members] : groups) {
    if (members.size() < 3) {
      sketch.notes.groups.push_back(
          fmt::format("{}: too few bricks for a group of peers: {}.", name, listed(members)));
      continue;
    }
    sketch.groups.push_back({name, std::move(members)});
  }
}

void GlusterImport::add_notes(SystemSketch& sketch) {
  std::vector<std::string>& notes = sketch.notes.servers;
  if (disks_.empty()) {
    notes.emplace_back(
        "`gluster volume info` knows the folders of bricks, not the devices below them: save `gluster volume "
        "status all detail --xml` too. Without devices those are compared that are under load.");
  } else if (!unplaced_.empty()) {
    notes.push_back(fmt::format("Without a device, because their volume's status shows none: {}.",
                                fmt::join(unplaced_, " ")));
  }
  for (const auto& [host, bricks] : bricks_of_) {
    notes.push_back(fmt::format("Bricks of {}: {}.", host, fmt::join(bricks, " ")));
  }
  for (const auto& [name, volume] : volumes_) {
    if (volume.set_size < 2 || volume.bricks.empty()) continue;
    sketch.notes.groups.push_back(
        fmt::format("{} is of type {}: every {} bricks, in the order of `gluster volume info`, are one set, "
                    "which sees the "
                    "same writes.",
                    name, volume.type, volume.set_size));
  }
  if (!arbiters_.empty()) {
    notes.push_back(fmt::format("Left out, arbiters, which hold no data: {}.", fmt::join(arbiters_, " ")));
  }
  std::vector<std::string> offline(offline_.begin(), offline_.end());
  if (!offline.empty())
    notes.push_back(fmt::format("Offline when this was saved: {}.", fmt::join(offline, " ")));
}

Result<SystemSketch> GlusterImport::take() {
  place_bricks();
  if (bricks_of_.empty()) {
    return fail(ErrorCode::kBadInput, "",
                "no volume with bricks is in these files; save `gluster volume info --xml`");
  }
  SystemSketch sketch;
  sketch.notes.head = {imported_from("GlusterFS")};
  for (const auto& [host, bricks] : bricks_of_) {
    SystemSketch::Server server{.name = host, .addresses = addresses_.of(host), .peers = DiskPeers::kAll};
    const auto disks = disks_.find(host);
    if (disks != disks_.end()) server.devices.assign(disks->second.begin(), disks->second.end());
    // Only arbiters, or nothing known: it cannot be compared with the others.
    if (server.devices.empty() && !disks_.empty()) {
      sketch.notes.servers.push_back(fmt::format("Left out, without a brick on a known device: {}.", host));
      continue;
    }
    sketch.servers.push_back(std::move(server));
  }
  add_groups(sketch);
  add_notes(sketch);
  if (volumes_.size() == 1) sketch.name = volumes_.begin()->first;
  sketch.notes.end = {"Clients are not in these files; hosts that no table names count as clients.",
                      missing_in_general()};
  apply_site_map(map_, sketch);
  return sketch;
}

}  // namespace

Result<SystemSketch> import_gluster(std::span<const SavedText> files, const SiteMap& map) {
  GlusterImport import(map);
  for (const SavedText& file : files) {
    if (Status read = import.read(file); !read) return forward(read);
  }
  return import.take();
}

}  // namespace laggard::topology
