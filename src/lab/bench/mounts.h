#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace laggard::lab::bench {

/// Something mounted, from a line of /proc/self/mountinfo.
struct Mount {
  std::string point;
  std::string type;    ///< `ext4`, `fuse.glusterfs`, `nsfs`
  std::string source;  ///< A device, or what the program that mounted it says.
  bool operator==(const Mount&) const = default;
};

/// All mounts, the one that was mounted first first; lines that are none are passed over. Blanks in names
/// stay as the kernel writes them, `\040`.
[[nodiscard]] std::vector<Mount> parse_mounts(std::string_view mountinfo);

}  // namespace laggard::lab::bench
