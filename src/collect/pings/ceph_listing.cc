#include "collect/pings/ceph_listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "base/text.h"

namespace laggard::collect {

namespace {

/// Keys that are tried for each OSD. One with a fair share of the pool stays without one once in e^16.
constexpr std::size_t kKeysPerOsd = 16;
constexpr std::size_t kFewestKeys = 64;

/// What the first keys lie on.
struct TriedKeys {
  std::map<std::int64_t, std::string> numbers;  ///< By OSD, with commas between them.
  std::size_t copies = 0;                       ///< Of the keys, the most.
};

Result<TriedKeys> try_keys(CephPool& pool, const std::string& mount, std::size_t osds, std::size_t up) {
  TriedKeys tried;
  for (std::size_t i = 0; i < kKeysPerOsd * osds + kFewestKeys && tried.numbers.size() < up; ++i) {
    CephPlace place;
    if (const int error = locate_ceph_key(pool, ceph_key(i), place); error != 0)
      return fail_errno(error, mount, "the monitors do not say where objects lie (osd map)");
    tried.copies = std::max(tried.copies, place.copies);
    if (place.osd < 0) continue;
    std::string& numbers = tried.numbers[place.osd];
    numbers.append(numbers.empty() ? "" : ",").append(std::to_string(i));
  }
  return tried;
}

Result<std::vector<CephOsd>> ask_osds(CephPool& pool, const std::string& mount) {
  std::string answer;
  if (const int error = pool.ask(std::string(kCephOsdsCommand), answer); error != 0)
    return fail_errno(error, mount, "the monitors do not say which OSDs there are (osd metadata)");
  auto osds = parse_ceph_osds(answer);
  if (osds && !osds->empty()) return std::move(*osds);
  return fail(ErrorCode::kUnavailable, mount, "the monitors know no OSD");
}

}  // namespace

std::string ceph_key(std::uint64_t number) { return fmt::format("laggard-ping-{}", number); }

int locate_ceph_key(CephPool& pool, const std::string& key, CephPlace& place) {
  std::string answer;
  if (const int error = pool.ask(ceph_place_command(pool.name(), key), answer); error != 0) return error;
  const auto read = parse_ceph_place(answer);
  if (!read) return EBADMSG;
  place = *read;
  return 0;
}

int ask_ceph_down(CephPool& pool, CephDown& down) {
  std::string answer;
  if (const int error = pool.ask(std::string(kCephDownCommand), answer); error != 0) return error;
  auto read = parse_ceph_down(answer);
  if (!read) return EBADMSG;
  down = std::move(*read);
  return 0;
}

Result<PingListing> list_ceph_osds(CephPool& pool, const std::string& mount) {
  auto osds = ask_osds(pool, mount);
  if (!osds) return forward(osds);
  CephDown down;
  if (const int error = ask_ceph_down(pool, down); error != 0)
    return fail_errno(error, mount, "the monitors do not say which OSDs are down (osd tree)");
  const auto is_down = [&](const CephOsd& osd) { return down.all.contains(osd.id); };
  const auto up = osds->size() - static_cast<std::size_t>(std::ranges::count_if(*osds, is_down));
  auto tried = try_keys(pool, mount, osds->size(), up);
  if (!tried) return forward(tried);
  PingListing listing;
  std::vector<std::string> left_out;
  for (const CephOsd& osd : *osds) {
    const auto keys = tried->numbers.find(osd.id);
    if (keys == tried->numbers.end() && !down.in.contains(osd.id)) {
      if (!is_down(osd)) left_out.push_back(osd.place());
      continue;
    }
    listing.targets.push_back({.name = osd.target_name(),
                               .place = osd.place(),
                               .mount = mount,
                               .known = keys == tried->numbers.end() ? "" : keys->second});
  }
  constexpr std::size_t kShown = 8;
  if (!left_out.empty()) {
    listing.notes.push_back(
        fmt::format("{}: not probed, since no placement group of the pool has them first (another class of "
                    "devices, or too few placement groups: pg_num): {}",
                    mount, first_few(left_out, kShown)));
  }
  if (tried->copies > 1) {
    listing.notes.push_back(fmt::format(
        "{}: of size {}, so that each probe waits for {} OSDs and those that are slow are told apart less "
        "well than in a pool of size 1",
        mount, tried->copies, tried->copies));
  }
  return listing;
}

}  // namespace laggard::collect
