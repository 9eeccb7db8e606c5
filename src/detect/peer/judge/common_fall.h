#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "detect/peer/judge/moved_history.h"

namespace laggard::detect {

/// A stretch of windows in which a whole group moved far less than just before, although no less was asked of
/// it: the system has become slow, whoever it is that all wait for (methods §10). **Ours.**
struct CommonFall {
  std::int64_t from = 0;  ///< Indices of its first ...
  std::int64_t to = 0;    ///< ... and last window.
  double before = 0;      ///< What the median member moved just before, ...
  double during = 0;      ///< ... and meanwhile.
  bool over = false;      ///< More was moved again before the recording ended.
};

/// What counts as one. **None of this was fitted to a recording with a fault.**
struct CommonFallLimits {
  double fall = 0.5;             ///< So much less at least, as a share of before.
  double slower = 0.25;          ///< A window belongs to it while so much less is moved.
  double steady = 0.25;          ///< Three quarters of the means before are so near to their median.
  double asked = 0.6;            ///< And at least this share of what was asked before is asked meanwhile.
  std::size_t before = 8;        ///< Means that are looked back at, at most, ...
  std::size_t least_before = 4;  ///< ... and at least.
};

/// The falls of a group, in order. \param moved  what its median member moved. \param asked  how much there
/// was to do: how many clients waited for an answer at a time of the member that most waited for. Of closed
/// loops, whose clients ask again when they are answered, that stays when the system becomes slow and falls
/// when clients stop to ask; a fall of both is nobody's fault. Where nothing is known of what was asked there
/// is no fall, nor where nobody was waited for. \param least  windows that it lasts at least.
[[nodiscard]] std::vector<CommonFall> common_falls(std::span<const MovedHistory::Level> moved,
                                                   std::span<const MovedHistory::Level> asked,
                                                   std::size_t least, const CommonFallLimits& limits = {});

}  // namespace laggard::detect
