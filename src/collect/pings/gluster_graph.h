#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace laggard::collect {

/// `fs1:/bricks/b1`: a directory of a server, a part of a volume.
struct GlusterBrick {
  std::string host;
  std::string path;
  bool operator==(const GlusterBrick&) const = default;
};

/// One of those among which a volume distributes its files, each of which lies on one of them: a brick, or a
/// set of bricks that hold replicas or fragments.
struct GlusterSubvolume {
  std::string name;  ///< `v-client-0`, `v-replicate-0`, `v-disperse-0`.
  std::vector<GlusterBrick> bricks;

  /// Whether a user means it by `place`: its name, or its only brick.
  [[nodiscard]] bool is_called(std::string_view place) const;
};

/// The subvolumes of the volume that is mounted at `directory` or above it, as the client has them in
/// `.meta/graphs/active` of the mount, which asks no brick; but the way there does, and may hang.
[[nodiscard]] Result<std::vector<GlusterSubvolume>> read_gluster_graph(
    const std::filesystem::path& directory);

}  // namespace laggard::collect
