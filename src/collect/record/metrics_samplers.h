#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "collect/procfs/daemon_sampler.h"
#include "collect/procfs/disk_sampler.h"
#include "collect/procfs/net_sampler.h"
#include "collect/record/sampler.h"
#include "collect/tcp/socket_filter.h"

namespace laggard::collect {

struct MetricsOptions {
  std::filesystem::path root = "/";
  std::string host;  ///< When empty, the host name of the kernel below `root`.
  DiskOptions disks;
  std::vector<std::string> net_globs;
  SocketFilter sockets;
  bool tcp = true;
  bool machine = true;  ///< The host as a whole, and its daemons.
  DaemonOptions daemons{};
};

/// Everything that `record metrics` reads, opened and ready to be sampled.
struct MetricsSamplers {
  std::string host;
  std::string boot;  ///< The kernel's boot id; empty when unknown.
  std::vector<std::unique_ptr<Sampler>> samplers;
};

/// Opens everything that can be opened and reports what cannot. Fails only when nothing can be opened, or
/// when connections were chosen by port or peer and cannot be listed.
///
/// A root other than `/` may be this machine seen from a container, or another machine's files. Netlink and
/// the addresses of interfaces always answer for this machine, so they are asked only where the boot id below
/// `root` is ours.
[[nodiscard]] Result<MetricsSamplers> open_metrics(MetricsOptions options, Notices& notices);

}  // namespace laggard::collect
