#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

// What Ceph's monitors are asked, and what they answer. Answers are of servers; a value of another type than
// expected counts as absent.

namespace laggard::collect {

/// Where objects of a locator key lie.
struct CephPlace {
  std::int64_t osd = -1;   ///< The acting primary, which requests go to; below 0: none is.
  std::uint32_t hash = 0;  ///< Of the key.
  std::size_t copies = 0;  ///< OSDs that a write waits for.
};

/// The namespace of RADOS that all objects of pings are in; it is hashed together with their keys.
inline constexpr std::string_view kCephSpace = "laggard-pings";

[[nodiscard]] std::string ceph_place_command(std::string_view pool, std::string_view key);
/// Reads an answer such as `{"raw_pgid":"2.7fc1f406","acting":[1,0],"acting_primary":1}`.
/// \return nothing when it does not tell these.
[[nodiscard]] std::optional<CephPlace> parse_ceph_place(std::string_view answer);

struct CephOsd {
  std::int64_t id = 0;
  std::string host;  ///< Without its domain; empty: not known.
  std::string disk;  ///< The one that its data is on, `sdb`; empty: not known, several, or other OSDs', too.

  /// `node1/sdb`, as system files call disks; `node1/osd.3` on a disk without a name, `osd.3` on no known
  /// host.
  [[nodiscard]] std::string target_name() const;
  /// `osd.3`
  [[nodiscard]] std::string place() const;
};

inline constexpr std::string_view kCephOsdsCommand = R"({"prefix":"osd metadata","format":"json"})";
/// Sorted by id. \return nothing when it is no list of OSDs.
[[nodiscard]] std::optional<std::vector<CephOsd>> parse_ceph_osds(std::string_view answer);

inline constexpr std::string_view kCephDownCommand =
    R"({"prefix":"osd tree","states":["down"],"format":"json"})";
/// OSDs that the monitors take for down.
struct CephDown {
  std::set<std::int64_t> all;
  std::set<std::int64_t> in;  ///< Those that are to have data: neither weightless nor marked out.
};
/// \return nothing when it is no tree.
[[nodiscard]] std::optional<CephDown> parse_ceph_down(std::string_view answer);

/// The number of `osd.3`.
[[nodiscard]] std::optional<std::int64_t> parse_osd_name(std::string_view name);

}  // namespace laggard::collect
