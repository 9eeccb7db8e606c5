#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "collect/pings/ceph_answers.h"
#include "collect/pings/ceph_pool.h"
#include "collect/pings/ping_backend.h"

namespace laggard::collect {

/// The locator keys of pings are numbered, so that every recorder tries the same ones: a later one finds what
/// lies under a killed one's.
[[nodiscard]] std::string ceph_key(std::uint64_t number);

/// Asks the monitors where a key lies. \return 0 or errno
[[nodiscard]] int locate_ceph_key(CephPool& pool, const std::string& key, CephPlace& place);
/// Asks the monitors who is down. \return 0 or errno
[[nodiscard]] int ask_ceph_down(CephPool& pool, CephDown& down);

/// The OSDs that are primary of some placement group of the pool, and those that would be if they were not
/// down, with the numbers of the keys by which objects come to lie on them (PingTargetSpec::known). Keys are
/// tried one after the other until each OSD has one: for n OSDs about n ln n questions of some tenths of a
/// millisecond, asked once here, where n processes that look for their own would ask n each.
[[nodiscard]] Result<PingListing> list_ceph_osds(CephPool& pool, const std::string& mount);

}  // namespace laggard::collect
