#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/time.h"

namespace laggard::detect {

/// How a series is cut into windows (docs/methods/peer.md, T §3.3, F §10.1). All counts are in samples of the
/// grid.
struct WindowSpec {
  Duration interval = std::chrono::seconds(1);  ///< Of the grid, after down-sampling.
  std::size_t size = 60;                        ///< WinSize.
  std::size_t shift = 30;                       ///< WinShift: distance of two windows' starts.
  std::size_t smoothing = 15;                   ///< Samples of the trailing moving average; 1 is none.
  std::size_t k = 3;                            ///< Faulty when anomalous in k of the past 2k-1 windows.
  bool operator==(const WindowSpec&) const = default;
};

/// A window starts at every multiple of this since the epoch.
[[nodiscard]] constexpr Duration window_step(const WindowSpec& spec) {
  return spec.interval * static_cast<std::int64_t>(spec.shift);
}

/// One window of one metric over one peer group: the smoothed samples of n components at W grid steps.
/// Samples of one time lie together. A missing sample is NaN.
/// The values belong to the stream that hands the window out, until its next sample.
struct Window {
  WallTime start{};
  Duration interval{};
  std::int64_t index = 0;  ///< start / window_step: consecutive for consecutive windows, the same everywhere.
  std::size_t components = 0;      ///< n
  std::size_t size = 0;            ///< W
  std::span<const double> values;  ///< W x n
  /// What the stream knows of them, so that what stands still need not be looked at: no sample is missing ...
  bool complete = false;
  /// ... and which components are not 0 at every sample, ascending; nothing when it is not known.
  std::optional<std::span<const std::uint32_t>> busy = std::nullopt;
  /// Which components miss a sample, ascending; nothing when it is not known.
  std::optional<std::span<const std::uint32_t>> holed = std::nullopt;

  [[nodiscard]] double at(std::size_t component, std::size_t sample) const {
    return values[sample * components + component];
  }
  [[nodiscard]] WallTime end() const { return start + interval * static_cast<std::int64_t>(size); }
};

}  // namespace laggard::detect
