#include "collect/pings/ceph_answers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "model/address.h"

namespace laggard::collect {

namespace {

using Json = nlohmann::json;

constexpr std::string_view kOsdPrefix = "osd.";

Json parse_ceph(std::string_view answer) { return Json::parse(answer, nullptr, false); }

const Json* member_of(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

std::optional<std::int64_t> integer_at(const Json& object, const char* key) {
  const Json* value = member_of(object, key);
  if (value == nullptr || !value->is_number_integer()) return std::nullopt;
  return value->get<std::int64_t>();
}

std::string word_at(const Json& object, const char* key) {
  const Json* value = member_of(object, key);
  return value != nullptr && value->is_string() ? value->get<std::string>() : "";
}

bool is_weightless(const Json& node) {
  return std::ranges::any_of(std::array{"crush_weight", "reweight"}, [&](const char* key) {
    const Json* weight = member_of(node, key);
    return weight != nullptr && weight->is_number() && !(weight->get<double>() > 0);
  });
}

/// The disk of an OSD's data where it has one, as topology's importer reads it.
std::string only_disk(const Json& osd) {
  for (const char* key : {"bluestore_bdev_devices", "devices"}) {
    std::string disks = word_at(osd, key);
    if (!disks.empty() && disks.find(',') == std::string::npos) return disks;
  }
  return "";
}

/// A disk that several OSDs share is none's.
void forget_shared_disks(std::vector<CephOsd>& osds) {
  std::map<std::pair<std::string, std::string>, int> users;
  for (const CephOsd& osd : osds) ++users[{osd.host, osd.disk}];
  for (CephOsd& osd : osds) {
    if (users[{osd.host, osd.disk}] > 1) osd.disk.clear();
  }
}

}  // namespace

std::string ceph_place_command(std::string_view pool, std::string_view key) {
  const Json command{{"prefix", "osd map"},
                     {"pool", std::string(pool)},
                     {"object", std::string(key)},
                     {"nspace", std::string(kCephSpace)},
                     {"format", "json"}};
  return command.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<CephPlace> parse_ceph_place(std::string_view answer) {
  const Json root = parse_ceph(answer);
  const auto primary = integer_at(root, "acting_primary");
  const std::string group = word_at(root, "raw_pgid");
  const std::size_t dot = group.find('.');
  const Json* acting = member_of(root, "acting");
  if (!primary || dot == std::string::npos || acting == nullptr || !acting->is_array()) return std::nullopt;
  CephPlace place{.osd = *primary, .copies = acting->size()};
  constexpr int kHexadecimal = 16;
  const char* end = group.data() + group.size();
  const auto read = std::from_chars(group.data() + dot + 1, end, place.hash, kHexadecimal);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return place;
}

std::string CephOsd::place() const { return std::string(kOsdPrefix) + std::to_string(id); }

std::string CephOsd::target_name() const {
  if (host.empty()) return place();
  return host + "/" + (disk.empty() ? place() : disk);
}

std::optional<std::vector<CephOsd>> parse_ceph_osds(std::string_view answer) {
  const Json root = parse_ceph(answer);
  if (!root.is_array()) return std::nullopt;
  std::vector<CephOsd> osds;
  for (const Json& osd : root) {
    const auto id = integer_at(osd, "id");
    if (!id || *id < 0) continue;
    osds.push_back(
        {.id = *id, .host = std::string(without_domain(word_at(osd, "hostname"))), .disk = only_disk(osd)});
  }
  forget_shared_disks(osds);
  std::ranges::sort(osds, {}, &CephOsd::id);
  return osds;
}

std::optional<CephDown> parse_ceph_down(std::string_view answer) {
  const Json root = parse_ceph(answer);
  const Json* nodes = member_of(root, "nodes");
  if (nodes == nullptr || !nodes->is_array()) return std::nullopt;
  CephDown down;
  for (const Json& node : *nodes) {
    const auto id = integer_at(node, "id");
    if (!id || *id < 0 || word_at(node, "status") != "down") continue;
    down.all.insert(*id);
    if (!is_weightless(node)) down.in.insert(*id);
  }
  return down;
}

std::optional<std::int64_t> parse_osd_name(std::string_view name) {
  if (!name.starts_with(kOsdPrefix)) return std::nullopt;
  const auto id = to_number<std::int64_t>(name.substr(kOsdPrefix.size()));
  return id && *id >= 0 ? id : std::nullopt;
}

}  // namespace laggard::collect
