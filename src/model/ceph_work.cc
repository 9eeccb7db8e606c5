#include "model/ceph_work.h"

#include <array>

namespace laggard {

std::vector<std::string_view> ceph_work_names(std::uint64_t level) {
  constexpr std::array<std::string_view, 6> kNames{"scrub",    "deep scrub", "repair",
                                                   "recovery", "backfill",   "snapshot trimming"};
  std::vector<std::string_view> names;
  for (std::size_t bit = 0; bit < kNames.size(); ++bit) {
    if ((level >> bit & 1U) != 0) names.push_back(kNames[bit]);
  }
  return names;
}

}  // namespace laggard
