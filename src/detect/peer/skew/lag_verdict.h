#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "detect/peer/judge/parameters.h"
#include "detect/peer/skew/lag_correlation.h"

namespace laggard::detect {

/// A stretch of blocks in which one lag fits, and all lags outside [low, high] fit worse.
struct LagStretch {
  std::size_t begin = 0;  ///< Of blocks ...
  std::size_t end = 0;    ///< ... behind the last.
  std::int64_t lag = 0;
  std::int64_t low = 0;
  std::int64_t high = 0;
  double correlation = 0;  ///< At `lag`: C / sqrt(sum m^2 x sum o^2).
  double unmoved = 0;      ///< At lag 0.
  double sigmas = 0;       ///< By which the lag fits better than any below ClockOptions::least.

  [[nodiscard]] bool is_off(const ClockOptions& options) const {
    return low >= options.least || high <= -options.least;
  }
  [[nodiscard]] bool is_right(const ClockOptions& options) const {
    return low > -options.least && high < options.least;
  }
};

/// What one host's correlations say of its clock: nothing, one lag, or several, one after the other, where
/// the clock was stepped.
///
/// In blocks [b, e) let C(l) be the sum of the blocks' products and p its largest. Lag l is *rejected* when
/// the differences D_b = C_b(p) - C_b(l) are above zero by `sigmas` standard errors of their mean, Student's
/// t brought to the scale of a normal deviate by Wallace's formula (1959), so that few blocks need more. The
/// answer is p if the lags that are not rejected lie together, touch neither end of the reach (which is at
/// most a quarter of the stretch) and are no more than a quarter of all.
/// That a lag is right by chance would take a correlation that beats each of the others so.
///
/// Before a stretch is taken as one it is cut in two where two lags fit best; when both halves have an answer
/// and the answers differ by `least` or more, they stand. A stretch without an answer is cut, too: a step may
/// be why.
[[nodiscard]] std::vector<LagStretch> judge_lags(const LagBlocks& blocks, const ClockOptions& options);

/// Student's t with `freedom` degrees as the normal deviate of about the same tail (Wallace 1959):
/// sign(t) (8f+1)/(8f+3) sqrt(f ln(1 + t^2/f)).
[[nodiscard]] double normal_deviate(double t, double freedom);

}  // namespace laggard::detect
