#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "detect/peer/judge/judged_run.h"

namespace laggard::engine {

/// How many numbers the windows of a group hold: known to both ends of a log, and what a reader holds a
/// record against before it believes it.
struct GroupShape {
  std::size_t members = 0;
  std::size_t columns = 0;
};
struct RunShape {
  std::vector<GroupShape> groups;
  std::size_t loads = 0;  ///< Numbers per cell of JudgedRun::loads.
};

/// A run as bytes, positions left out. Doubles keep every bit, NaNs theirs; members that have the same number
/// as their neighbours, which most of a large system have, cost next to nothing.
[[nodiscard]] std::string encode_run(const detect::JudgedRun& run);

/// The same run. kDamaged when the bytes are no run of groups of this shape.
[[nodiscard]] Result<detect::JudgedRun> decode_run(std::string_view bytes, const RunShape& shape);

}  // namespace laggard::engine
