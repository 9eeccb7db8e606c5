#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "lab/bench/site.h"

namespace laggard::lab::bench {

// The parallel file system of a bench: a server program per server on its own disk, and a FUSE client per
// client. All require the disks and the network.

/// GlusterFS without its management daemon, from volume files that we write.
///
/// The volume is erasure-coded (N-1 data + 1 redundancy), read round-robin: every stripe touches all servers,
/// which is what makes them peers (F §6.1, observation 1). Distribution with shards does not keep them even.
[[nodiscard]] std::string server_volume(const Layout& layout, std::size_t server);
[[nodiscard]] std::string client_volume(const Layout& layout);

/// \return the file system's programs, servers first
[[nodiscard]] Result<std::vector<HostProcess>> start_gluster(Site& site);

/// The striped file service (lab/striped), which writes with O_DIRECT and hides no error from applications.
/// \param program  laggard-striped-files
[[nodiscard]] Result<std::vector<HostProcess>> start_striped(Site& site,
                                                             const std::filesystem::path& program);

/// Mounts it once more on a client, at Layout::probe_mount: what fills the queue of the workload's mount does
/// not hold up what comes by another. It ends with the bench.
[[nodiscard]] Status mount_for_probes(Site& site, const std::filesystem::path& program, std::size_t client);

/// The command of a server or client, from 1.
using CommandOf = std::function<Command(std::size_t)>;
/// How the programs of a file system are started.
struct FileSystemPrograms {
  CommandOf server;  ///< Listens on `kServicePort`.
  CommandOf client;  ///< Mounts `Layout::mount`.
};
/// Starts a client's program and waits for its mount.
[[nodiscard]] Result<HostProcess> start_mount(Site& site, std::size_t client, Command command,
                                              const std::filesystem::path& mount);
/// Starts all servers, each in its server's groups, and waits until they listen.
[[nodiscard]] Result<std::vector<HostProcess>> start_servers(Site& site, const CommandOf& server);
/// Starts all clients, and waits for their mounts.
[[nodiscard]] Result<std::vector<HostProcess>> start_clients(Site& site, const CommandOf& client);
/// All servers, and then all clients.
[[nodiscard]] Result<std::vector<HostProcess>> start_programs(Site& site, const FileSystemPrograms& programs);

}  // namespace laggard::lab::bench
