#pragma once

#include <string>

#include "lab/bench/site.h"

namespace laggard::lab::bench {

/// GlusterFS without its management daemon: a server program per namespace, each on its own brick, and a
/// FUSE client per client namespace, from volume files of ours.
///
/// The volume is erasure-coded (N-1 data + 1 redundancy), read round-robin: every stripe touches all servers,
/// which is what makes them peers (F §6.1, observation 1). Distribution with shards does not keep them even.
[[nodiscard]] std::string server_volume(const Layout& layout, std::size_t server);
[[nodiscard]] std::string client_volume(const Layout& layout);

/// Requires the disks and the network.
[[nodiscard]] Status start_gluster(Site& site);

}  // namespace laggard::lab::bench
