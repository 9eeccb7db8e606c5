#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "collect/procfs/disk_sampler.h"
#include "collect/procfs/net_sampler.h"
#include "collect/record/sampler.h"
#include "collect/tcp/socket_filter.h"

namespace laggard::collect {

struct MetricsOptions {
  std::filesystem::path root = "/";
  std::string host;  ///< Empty: the name that the kernel below `root` has.
  DiskOptions disks;
  std::vector<std::string> net_globs;
  SocketFilter sockets;
  bool tcp = true;
};

/// What `record metrics` reads, ready to be sampled.
struct MetricsSamplers {
  std::string host;
  std::string boot;  ///< The kernel's boot id; empty when it does not tell.
  std::vector<std::unique_ptr<Sampler>> samplers;
};

/// Opens all that can be opened and says what cannot; an error only when nothing can, or when connections
/// were chosen by port or peer and cannot be had.
///
/// A root other than `/` may be this machine's own, seen from a container, or another machine's files:
/// netlink and the addresses of interfaces always answer for this one, and are asked only where both have one
/// boot id.
[[nodiscard]] Result<MetricsSamplers> open_metrics(MetricsOptions options, Notices& notices);

}  // namespace laggard::collect
