#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"

namespace laggard::lab::bench {

/// One building of a bench: what tells the things that it makes from all others on the machine.
struct Instance {
  std::string id;                     ///< 32 hexadecimal digits of chance: nobody else's has them.
  std::string boot;                   ///< The kernel's boot id: after another boot only files can be left.
  std::uint64_t mount_namespace = 0;  ///< Inode of the mount namespace that its mounts are made in.
  bool operator==(const Instance&) const = default;
};

/// A new one, of this boot and this mount namespace.
[[nodiscard]] Result<Instance> new_instance();

[[nodiscard]] bool is_instance_id(std::string_view text);
[[nodiscard]] bool is_boot_id(std::string_view text);

/// An error when its mounts cannot be seen from here: it was built before the last boot, or in another mount
/// namespace in which somebody still lives (else its mounts are gone with it).
/// \param name  of the bench, for the sentence that says what to do
[[nodiscard]] Status check_reachable(const Instance& instance, std::string_view name);

/// The third party of the network hogs.
inline constexpr const char* kThirdParty = "x";

/// A parallel file system on this machine: how large, how fast, and what its parts are called. Everything of
/// it is in the state folder, network namespaces and mounts included, but for its memory groups and its
/// processes: those carry `instance`. So what is not the bench's cannot be taken for the bench's.
///
/// The rates keep the machine's processors out of the picture: nine disks of 3 MB/s and ports of 40 Mbit/s
/// take some 0.7 cores, so that what is measured is what was modelled, even where others compute beside it.
struct Layout {
  std::string name = "bench";
  std::string instance;  ///< Of this one building of it (`Instance::id`); empty until it has begun.
  std::filesystem::path root = "/run";  ///< Holds the state folder; nobody else may write there.
  std::size_t servers = 9;
  std::size_t clients = 4;

  double disk_megabytes_per_second = 3;
  std::size_t disk_megabytes = 4096;
  std::size_t brick_megabytes = 3072;  ///< The rest of the disk is the unused partition of F §9.
  std::size_t network_megabits = 40;   ///< Of every server's port, each way.
  std::size_t cache_megabytes = 128;   ///< Page cache of one server.
  std::size_t dirty_megabytes = 16;    ///< Of those, at most so many unwritten.

  /// Servers and clients are counted from 1, as in the recordings.
  [[nodiscard]] std::string server(std::size_t i) const { return "s" + std::to_string(i); }
  [[nodiscard]] std::string client(std::size_t i) const { return "c" + std::to_string(i); }
  [[nodiscard]] std::string server_address(std::size_t i) const;
  [[nodiscard]] std::string client_address(std::size_t i) const;
  [[nodiscard]] std::string third_party_address() const;

  [[nodiscard]] std::filesystem::path state() const;  ///< Mounts and logs.
  /// The state folder while it is made and while it is removed.
  [[nodiscard]] std::filesystem::path nameless_state() const { return state().native() + "." + instance; }
  [[nodiscard]] std::filesystem::path journal() const { return state().native() + ".journal"; }
  /// The file that keeps the network namespace of a host: of a server, a client, the third party or `bridge`,
  /// the switch.
  [[nodiscard]] std::filesystem::path network(std::string_view host) const { return networks() / host; }
  [[nodiscard]] std::filesystem::path networks() const { return state() / "net"; }
  [[nodiscard]] std::filesystem::path logs() const { return state() / "log"; }
  [[nodiscard]] std::filesystem::path disk(std::size_t server) const;   ///< Mount of the modelled disk.
  [[nodiscard]] std::filesystem::path brick(std::size_t server) const;  ///< Mount of the server's ext4.
  [[nodiscard]] std::filesystem::path mount(std::size_t client) const;  ///< The parallel file system.
};

inline constexpr std::size_t kBrickPort = 24007;
inline constexpr std::size_t kMostHosts = 99;

/// What cannot be built: fewer than three servers are no peers, and addresses end at 99.
[[nodiscard]] Status check(const Layout& layout);

}  // namespace laggard::lab::bench
