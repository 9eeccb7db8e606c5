#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace laggard::lab::bench {

/// Identifies one bench that was built: distinguishes what it makes from everything else on the machine.
struct Instance {
  std::string id;                     ///< 32 random hexadecimal digits.
  std::string boot;                   ///< The kernel's boot id: a reboot leaves only files.
  std::uint64_t mount_namespace = 0;  ///< Inode of the mount namespace of its mounts.
  bool operator==(const Instance&) const = default;
};

/// A new one, of this boot and this mount namespace.
[[nodiscard]] Result<Instance> new_instance();

[[nodiscard]] bool is_instance_id(std::string_view text);
[[nodiscard]] bool is_boot_id(std::string_view text);

/// An error when we cannot see its mounts: it was built before the last boot, or in another mount namespace
/// in which some process still runs (otherwise its mounts are gone with the namespace). \param name  of the
/// bench, for the sentence that says what to do
[[nodiscard]] Status check_reachable(const Instance& instance, std::string_view name);

/// The third party of the network hogs.
inline constexpr const char* kThirdParty = "x";

/// The host of Ceph's monitor, manager and metadata server, which is no peer of the servers.
inline constexpr const char* kMonitorHost = "m";

/// GlusterFS, the striped file service of lab/striped, or Ceph.
enum class FileSystem : std::uint8_t { kGluster, kStriped, kCeph };
inline constexpr std::array kFileSystems{FileSystem::kGluster, FileSystem::kStriped, FileSystem::kCeph};
/// What `--file-system` calls it.
[[nodiscard]] std::string_view to_name(FileSystem file_system);
[[nodiscard]] std::optional<FileSystem> file_system_of(std::string_view name);

/// A parallel file system on this machine: its size, its speed, and the names of its parts. All of it is in
/// the state folder, network namespaces and mounts included, except for memory groups and processes, which
/// carry `instance`. So nothing else can be mistaken for the bench's.
///
/// The rates are low enough for the machine's processors: nine disks of 3 MB/s and ports of 40 Mbit/s take
/// some 0.7 cores, so that the model is measured and not the machine, even with other work beside it.
struct Layout {
  std::string name = "bench";
  std::string instance;                 ///< `Instance::id`; empty before it is built.
  std::filesystem::path root = "/run";  ///< Holds the state folder; only we may write there.
  FileSystem file_system = FileSystem::kGluster;
  std::size_t servers = 9;
  std::size_t clients = 4;

  double disk_megabytes_per_second = 3;
  std::size_t disk_megabytes = 4096;
  std::size_t brick_megabytes = 3072;  ///< The rest of the disk is the unused partition of F §9.
  std::size_t network_megabits = 40;   ///< Rate of every server's port, each way.
  std::size_t cache_megabytes = 128;   ///< Page cache of one server.
  std::size_t dirty_megabytes = 16;    ///< Dirty pages among those, at most.

  /// Servers and clients are counted from 1, as in the recordings.
  [[nodiscard]] std::string server(std::size_t i) const { return "s" + std::to_string(i); }
  [[nodiscard]] std::string client(std::size_t i) const { return "c" + std::to_string(i); }
  /// The last third of the servers is on a second switch, when that is two servers or more.
  [[nodiscard]] std::size_t on_second_switch() const { return servers / 3 >= 2 ? servers / 3 : 0; }
  [[nodiscard]] bool is_on_second_switch(std::size_t server) const {
    return server + on_second_switch() > servers;
  }

  [[nodiscard]] std::string server_address(std::size_t i) const;
  [[nodiscard]] std::string client_address(std::size_t i) const;
  [[nodiscard]] std::string third_party_address() const;
  [[nodiscard]] std::string monitor_address() const;

  /// Whether servers keep files in an ext4 on their disks. An OSD of Ceph has the block device to itself.
  [[nodiscard]] bool has_bricks() const { return file_system != FileSystem::kCeph; }
  /// Limit of the memory of a server's daemon, page cache included. An OSD reads and writes past the page
  /// cache and has a cache of its own; it must not be killed for what its processes need.
  [[nodiscard]] std::size_t memory_megabytes() const {
    return file_system == FileSystem::kCeph ? kOsdMegabytes : cache_megabytes;
  }
  static constexpr std::size_t kOsdMegabytes = 1024;

  [[nodiscard]] std::filesystem::path state() const;  ///< Mounts and logs.
  /// The state folder's name while it is being made or removed.
  [[nodiscard]] std::filesystem::path nameless_state() const { return state().native() + "." + instance; }
  [[nodiscard]] std::filesystem::path journal() const { return state().native() + ".journal"; }
  /// The file on which the network namespace of a host is mounted: a server, a client, the third party, or
  /// the switch, `bridge`.
  [[nodiscard]] std::filesystem::path network(std::string_view host) const { return networks() / host; }
  [[nodiscard]] std::filesystem::path networks() const { return state() / "net"; }
  [[nodiscard]] std::filesystem::path logs() const { return state() / "log"; }
  [[nodiscard]] std::filesystem::path disk(std::size_t server) const;   ///< Mount of the modelled disk.
  [[nodiscard]] std::filesystem::path brick(std::size_t server) const;  ///< Mount of the server's ext4.
  [[nodiscard]] std::filesystem::path mount(std::size_t client) const;  ///< The parallel file system.
  /// The same once more, for probes.
  [[nodiscard]] std::filesystem::path probe_mount(std::size_t client) const;
  [[nodiscard]] std::filesystem::path ceph() const { return state() / "ceph"; }  ///< What it keeps in files.
  /// The file to which a server without memory swaps, while it is sick with that.
  [[nodiscard]] std::filesystem::path swap_file(std::size_t server) const { return brick(server) / "swap"; }
};

/// Where the file system's servers listen.
inline constexpr std::size_t kServicePort = 24007;
inline constexpr std::size_t kMostHosts = 99;

/// Checks that it can be built: at least three servers to be peers, and at most 99 hosts of a kind.
[[nodiscard]] Status check(const Layout& layout);

}  // namespace laggard::lab::bench
