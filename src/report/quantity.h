#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace laggard::report {

/// A value for people, three significant digits and the prefix that keeps it below 1000: `142 ms`, `1.20 s`,
/// `23.4 MB/s`, `12.3k packets/s`, `87 %`. Sectors are shown as bytes (512 each, whatever the device: that is
/// the unit of the kernel's counters). Decimal prefixes. NaN is `-`.
[[nodiscard]] std::string humanise(double value, std::string_view unit);

/// A plain number with three significant digits: `9.1`, `0.042`, `12.3k`.
[[nodiscard]] std::string humanise(double value);

/// How many times `level` is `peers`: `7.8x`, `0.12x`; nothing when the ratio says nothing (peers are zero or
/// either is not finite).
[[nodiscard]] std::optional<std::string> ratio(std::optional<double> level, std::optional<double> peers);

}  // namespace laggard::report
