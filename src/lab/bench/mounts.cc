#include "lab/bench/mounts.h"

#include "base/text.h"

namespace laggard::lab::bench {

std::vector<Mount> parse_mounts(std::string_view mountinfo) {
  std::vector<Mount> mounts;
  for (const std::string_view line : split(mountinfo, '\n')) {
    const std::vector<std::string_view> words = split(line, ' ');
    // id, parent, device, root, point, options, optional fields, "-", type, source, options
    for (std::size_t i = 6; i + 2 < words.size(); ++i) {
      if (words[i] != "-") continue;
      mounts.push_back({std::string(words[4]), std::string(words[i + 1]), std::string(words[i + 2])});
      break;
    }
  }
  return mounts;
}

}  // namespace laggard::lab::bench
