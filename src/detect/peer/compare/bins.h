#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "detect/peer/compare/sorted_window.h"
#include "stats/quantile.h"

namespace laggard::detect {

/// When the metric's noise floor bounds the size of a bin from below.
enum class FloorUse : std::uint8_t {
  kWithoutSpread,  ///< Only where the samples have no spread of their own (docs/methods/peer.md).
  kAlways,
};

/// How the bins of a window are chosen.
struct BinRule {
  std::size_t cap = 1000;  ///< Largest number of bins (T §5.3).
  double noise_floor = 0;  ///< In the metric's unit: differences below it are noise (T §5.8.2).
  FloorUse floor_use = FloorUse::kWithoutSpread;
  /// With fewer components that have samples in the window, the MAD serves instead of the IQR, which one sick
  /// component could stretch (T §6.2.3).
  std::size_t mad_below = 5;
};

/// Common bins of all components in one window. Bin b holds [lowest + b size, lowest + (b+1) size); the
/// highest sample, which would fall on the edge behind the last bin, belongs to the last. Missing samples
/// have a bin of their own behind it, so that absence is distance (docs/methods/peer.md).
struct Bins {
  double lowest = 0;
  double size = 1;
  std::uint32_t count = 1;

  [[nodiscard]] std::uint32_t missing() const { return count; }
  /// \param x  a sample of the window, or NaN or +infinity for missing.
  [[nodiscard]] std::uint32_t bin_of(double x) const;
};

/// The rule of T §3.3 with the fallbacks of docs/methods/peer.md, x = all present samples of the window:
///   spread = IQR(x), or 1.4826 MAD(x) with fewer than `mad_below` components;
///   BinSize = 2 spread W^(-1/3); when the spread is 0: max(range / cap, noise floor), as is done for idle
///   groups, where more than half of all samples are one value; with `kAlways` never below the noise floor;
///   Bins = ceil(range / BinSize); when that exceeds the cap: Bins = cap, BinSize = range / cap.
/// When all samples are equal there is one bin. Requires at least one present sample.
[[nodiscard]] Bins choose_bins(const SortedWindow& window, const BinRule& rule, std::vector<double>& scratch,
                               stats::QuantileSelector& selector);

}  // namespace laggard::detect
