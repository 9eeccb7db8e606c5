#pragma once

#include <optional>
#include <span>
#include <vector>

namespace laggard::analyse {

struct SelfThresholdSpec {
  double spreads = 6;  ///< How many robust standard deviations above the usual still count as usual.
  double least = 2;    ///< Never below this, in the unit of the scores (`cdf`: bins).
  bool operator==(const SelfThresholdSpec&) const = default;
};

/// A threshold from the group's own spread, for want of training (**ours**; to be marked as such wherever it
/// is shown):
///   T = max(least, median(s) + spreads * 1.4826 * MAD(s))
/// over the scores s of all components of the group in the window, and in recent ones if the caller likes. As
/// long as fewer than half of the components are sick, their scores do not raise it.
/// \param s  scores in one unit; NaN (nothing to say) is left out.
/// \return   nothing when there is no score.
[[nodiscard]] std::optional<double> self_threshold(std::span<const double> s, const SelfThresholdSpec& spec,
                                                   std::vector<double>& scratch);

}  // namespace laggard::analyse
