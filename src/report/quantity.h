#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/time.h"

/// Numbers, moments and counts as people read them.
namespace laggard::report {

/// A value with three significant digits and the prefix that keeps it below 1000: `142 ms`, `1.20 s`,
/// `23.4 MB/s`, `12.3k packets/s`, `87 %`. Sectors are shown as bytes (512 each, whatever the device: that is
/// the unit of the kernel's counters). Decimal prefixes. NaN is `-`.
[[nodiscard]] std::string humanise(double value, std::string_view unit);

/// A plain number with three significant digits: `9.1`, `0.042`, `12.3k`.
[[nodiscard]] std::string humanise(double value);

/// `level` as a multiple of `peers`: `7.8x`, `0.12x`; nothing when `peers` is zero or either is not finite.
[[nodiscard]] std::optional<std::string> ratio(std::optional<double> level, std::optional<double> peers);

/// Writes moments as briefly as is clear: the time alone when the whole report lies within one UTC day, the
/// date and the time otherwise. Whole seconds.
class Clockface {
 public:
  Clockface(WallTime from, WallTime to);
  [[nodiscard]] std::string moment(WallTime t) const;                ///< `19:22:36Z`, `2011-05-17 14:03:00Z`
  [[nodiscard]] static std::string dated(WallTime t);                ///< `2011-05-17 14:03:00Z`
  [[nodiscard]] std::string span(WallTime from, WallTime to) const;  ///< `19:22:36Z to 19:25:20Z`
 private:
  bool one_day_;
};

/// `2m44s`, `3h20m`, `12d4h`: the two largest units.
[[nodiscard]] std::string coarse(Duration length);

/// Of values in ascending order the one that is nearest to this share of them; NaN of none.
[[nodiscard]] double at_share(std::span<const double> sorted, double share);

/// `3 windows`, `1 window`.
[[nodiscard]] std::string counted(std::size_t count, std::string_view noun);

}  // namespace laggard::report
