#pragma once

namespace laggard::stats {

/// log2(value / reference), the scale on which "twice as slow" and "half as fast" are equally far.
/// Both must be >= 0. Where the ratio has no logarithm the sign still says which is larger: +infinity for a
/// positive value over 0, -infinity for 0 over a positive reference, and 0 for 0 over 0.
[[nodiscard]] double log2_ratio(double value, double reference);

/// As `log2_ratio` but held within [low, high].
[[nodiscard]] double clipped_log2_ratio(double value, double reference, double low, double high);

}  // namespace laggard::stats
