#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lab/bench/site.h"
#include "lab/bench/started_programs.h"

namespace laggard::lab::bench {

// Ceph as the bench's file system: an OSD per server, whose BlueStore has the whole block device; monitor,
// manager and metadata server on a host of their own; a FUSE client per client.
//
// What makes the OSDs peers: the placement groups are dealt out to them in turn, as Ceph's balancer would do
// in days, and files are cut into objects of 64 KB, so that a file lies on all of them after less than a
// megabyte. Objects are kept twice, which is the fewest that Ceph thinks healthy. Heartbeats and all that
// follows from them are Ceph's own: a server that is sick enough is marked down.

/// Placement groups of the files' pool, and of that of the metadata.
inline constexpr std::size_t kDataGroups = 128;
inline constexpr std::size_t kMetadataGroups = 16;

/// The OSD of a server is called by the number before it.
[[nodiscard]] constexpr std::size_t osd_of(std::size_t server) { return server - 1; }
/// Requires 32 hexadecimal digits. \return them as Ceph writes an identity: 8-4-4-4-12
[[nodiscard]] std::string as_uuid(std::string_view digits);

/// The identity of a server's OSD, made from that of the bench.
[[nodiscard]] std::string osd_uuid(const Layout& layout, std::size_t server);
/// Where the monitor listens, by both versions of the protocol.
[[nodiscard]] std::string monitor_addresses(const Layout& layout);

[[nodiscard]] std::filesystem::path ceph_configuration_file(const Layout& layout);
[[nodiscard]] std::string ceph_configuration(const Layout& layout);
/// Lines for the `ceph` program that name all OSDs and their hosts, before any of these starts.
[[nodiscard]] std::string ceph_osd_commands(const Layout& layout);
/// Lines that make the pools, deal their groups out, and make the file system. Group g of N OSDs has its
/// first copy on g mod N and its second on (g + 1 + floor(g/N) mod (N-1)) mod N.
[[nodiscard]] std::string ceph_pool_commands(const Layout& layout);

/// \param loops  block devices of the servers \return OSDs first, then the clients' mounts
[[nodiscard]] Result<std::vector<HostProcess>> start_ceph(Site& site, const std::vector<std::string>& loops);

/// Empties the caches of all OSDs.
[[nodiscard]] Status drop_ceph_caches(Site& site);

/// What Ceph says of itself: every five seconds a line `{"time":…,"said":…}` with the answer to `osd perf`
/// and one with that to `health detail`, and every fifteen seconds, as often as Prometheus would ask, what
/// the manager exports of the OSDs' latencies, a line `{"time":…,"metric":…,"osd":…,"value":…}` each.
inline constexpr const char* kCephSaid = "ceph-said.jsonl";
inline constexpr const char* kCephExported = "ceph-exported.jsonl";
/// Writes both into `out` until it is stopped. Where the file system is another there is nothing to write.
[[nodiscard]] Result<StartedPrograms> record_ceph(Site& site, const std::filesystem::path& out);

}  // namespace laggard::lab::bench
