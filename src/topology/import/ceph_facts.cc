#include "topology/import/ceph_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "base/text.h"
#include "model/address.h"
#include "topology/import/hosts.h"

namespace laggard::topology {

namespace {

using Json = nlohmann::json;

// Careful access to JSON that other programs wrote: a value of another type counts as absent.

/// Errors carry file and line.
Result<Json> parse_json(const SavedText& file) {
  try {
    return Json::parse(file.text);
  } catch (const Json::parse_error& error) {
    const auto end = file.text.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, file.text.size()));
    const auto line = 1 + std::count(file.text.begin(), end, '\n');
    return fail(ErrorCode::kBadInput, fmt::format("{}:{}", file.path, line), "is no JSON from here on");
  } catch (const Json::exception&) {
    return fail(ErrorCode::kBadInput, file.path, "holds a number that JSON cannot have");
  }
}

std::optional<std::string> text_at(const Json& object, const char* key) {
  if (!object.is_object()) return std::nullopt;
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

std::optional<double> number_at(const Json& object, const char* key) {
  if (!object.is_object()) return std::nullopt;
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

/// The list under a key; an empty one when there is none.
const Json& list_at(const Json& object, const char* key) {
  static const Json nothing = Json::array();
  if (!object.is_object()) return nothing;
  const auto found = object.find(key);
  return found != object.end() && found->is_array() ? *found : nothing;
}

/// An id that is a whole number; CRUSH has no others.
std::optional<std::int64_t> id_of(const Json& object) {
  if (!object.is_object()) return std::nullopt;
  const auto found = object.find("id");
  if (found == object.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<std::int64_t>();
}

/// `[v2:10.0.0.1:6800/12,v1:10.0.0.1:6801/12]` or `10.0.0.1:6800/12`.
void add_addresses(std::string_view text, std::set<std::string>& out) {
  for (std::string_view part : split(text, ',')) {
    if (part.starts_with("[v")) part.remove_prefix(1);
    for (const std::string_view version : {"v1:", "v2:", "any:"}) {
      if (part.starts_with(version)) part.remove_prefix(version.size());
    }
    const std::size_t slash = part.find('/');
    part = part.substr(0, slash);
    const std::size_t colon = part.rfind(':');
    if (colon == std::string_view::npos) continue;
    const std::string address = canonical_address(part.substr(0, colon));
    if (is_ip_address(address) && !is_host_local(address)) out.insert(address);
  }
}

class CephReader {
 public:
  Status read(const SavedText& file);
  [[nodiscard]] CephFacts take() { return std::move(facts_); }

 private:
  Status tree(const SavedText& file, const Json& root);
  Status node(const SavedText& file, const Json& node, std::size_t index);
  Status metadata(const SavedText& file, const Json& osd, std::size_t index);
  void device(const Json& device);

  CephFacts facts_;
};

Status CephReader::node(const SavedText& file, const Json& node, std::size_t index) {
  const auto id = id_of(node);
  const auto name = text_at(node, "name");
  if (!id || !name) {
    return fail(ErrorCode::kBadInput, file.path, fmt::format("nodes[{}] has no id and name", index));
  }
  if (*id < 0) {
    // Shadow trees repeat everything by device class.
    if (name->find('~') != std::string::npos) return {};
    CephFacts::Bucket bucket{*name, text_at(node, "type").value_or(""), {}};
    for (const Json& child : list_at(node, "children")) {
      if (child.is_number_integer()) bucket.children.push_back(child.get<std::int64_t>());
    }
    facts_.buckets.try_emplace(*id, std::move(bucket));
    return {};
  }
  CephFacts::Osd& osd = facts_.osds[*id];
  osd.in_tree = true;
  if (auto text = text_at(node, "device_class")) osd.device_class = std::move(*text);
  if (auto text = text_at(node, "status")) osd.status = std::move(*text);
  if (const auto weight = number_at(node, "crush_weight"); weight && std::isfinite(*weight))
    osd.weight = *weight;
  if (const auto weight = number_at(node, "reweight"); weight && std::isfinite(*weight))
    osd.reweight = *weight;
  return {};
}

Status CephReader::metadata(const SavedText& file, const Json& osd, std::size_t index) {
  const auto id = id_of(osd);
  if (!id || *id < 0)
    return fail(ErrorCode::kBadInput, file.path, fmt::format("[{}] has no id of an OSD", index));
  CephFacts::Osd& known = facts_.osds[*id];
  if (auto host = text_at(osd, "hostname")) known.host = std::move(*host);
  for (const char* key : {"front_addr", "back_addr"}) {
    if (const auto address = text_at(osd, key)) add_addresses(*address, known.addresses);
  }
  const auto names = [](std::string_view list) {
    std::vector<std::string> out;
    for (const std::string_view name : split(list, ',')) {
      if (!trim(name).empty()) out.emplace_back(trim(name));
    }
    return out;
  };
  if (const auto list = text_at(osd, "devices")) known.devices = names(*list);
  if (const auto list = text_at(osd, "bluestore_bdev_devices")) {
    const std::vector<std::string> data = names(*list);
    // An OSD across several disks has no single one that it could be compared by.
    if (data.size() == 1) known.data_device = data.front();
  }
  if (known.data_device.empty() && known.devices.size() == 1) known.data_device = known.devices.front();
  for (const std::string& name : known.devices) facts_.users[known.host + "/" + name].insert(*id);
  return {};
}

/// `{"devid":…,"location":[{"host":…,"dev":…}],"daemons":["osd.0"]}`.
void CephReader::device(const Json& device) {
  constexpr std::string_view kOsd = "osd.";
  for (const Json& location : list_at(device, "location")) {
    const auto host = text_at(location, "host");
    const auto name = text_at(location, "dev");
    if (!host || !name) continue;
    for (const Json& daemon : list_at(device, "daemons")) {
      if (!daemon.is_string()) continue;
      const auto text = daemon.get<std::string>();
      const auto id =
          to_number<std::int64_t>(std::string_view(text).substr(std::min(kOsd.size(), text.size())));
      if (!text.starts_with(kOsd) || !id || *id < 0) continue;
      CephFacts::Osd& osd = facts_.osds[*id];
      if (osd.host.empty()) osd.host = *host;
      if (std::find(osd.devices.begin(), osd.devices.end(), *name) == osd.devices.end())
        osd.devices.push_back(*name);
      facts_.users[*host + "/" + *name].insert(*id);
    }
  }
}

Status CephReader::tree(const SavedText& file, const Json& root) {
  const Json& nodes = list_at(root, "nodes");
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (Status read = node(file, nodes[i], i); !read) return read;
  }
  for (const Json& stray : list_at(root, "stray")) {
    if (Status read = node(file, stray, 0); !read) return read;
  }
  return {};
}

Status CephReader::read(const SavedText& file) {
  auto parsed = parse_json(file);
  if (!parsed) return forward(parsed);
  const Json& root = *parsed;
  if (!list_at(root, "nodes").empty()) return tree(file, root);
  const bool list = root.is_array() && !root.empty() && root.front().is_object();
  if (list && root.front().contains("devid")) {
    for (const Json& entry : root) device(entry);
    return {};
  }
  if (list && id_of(root.front())) {
    for (std::size_t i = 0; i < root.size(); ++i) {
      if (Status read = metadata(file, root[i], i); !read) return read;
    }
    return {};
  }
  return fail(
      ErrorCode::kBadInput, file.path,
      "is none of `ceph osd tree`, `ceph osd df`, `ceph osd metadata` and `ceph device ls` with -f json");
}

}  // namespace

Result<CephFacts> read_ceph_facts(std::span<const SavedText> files) {
  CephReader reader;
  for (const SavedText& file : files) {
    if (Status read = reader.read(file); !read) return forward(read);
  }
  return reader.take();
}

std::string data_device(const CephFacts& facts, const CephFacts::Osd& osd) {
  if (!osd.data_device.empty()) return osd.data_device;
  std::vector<std::string> own;
  for (const std::string& device : osd.devices) {
    const auto users = facts.users.find(osd.host + "/" + device);
    if (users != facts.users.end() && users->second.size() == 1) own.push_back(device);
  }
  return own.size() == 1 ? own.front() : std::string();
}

Result<OsdDisks> osd_disks(std::span<const SavedText> files, const SiteMap& map) {
  auto facts = read_ceph_facts(files);
  if (!facts) return forward(facts);
  HostNames names(map);
  OsdDisks disks;
  for (const auto& [id, osd] : facts->osds) {
    const std::string disk = data_device(*facts, osd);
    if (osd.host.empty() || disk.empty()) continue;
    auto host = names.name(osd.host);
    if (!host) return forward(host);
    disks.emplace(id, OsdDisk{*host, disk});
  }
  if (!disks.empty()) return disks;
  return fail(ErrorCode::kBadInput, files.empty() ? "" : files.front().path,
              "names no OSD with its host and disk; save `ceph osd metadata -f json`");
}

}  // namespace laggard::topology
