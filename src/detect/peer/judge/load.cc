#include "detect/peer/judge/load.h"

#include <fmt/format.h>

#include <cmath>

#include "detect/peer/judge/levels.h"

namespace laggard::detect {

namespace {

constexpr double kSectorBytes = 512;

}  // namespace

std::optional<Load> load_of(double bytes_per_second) {
  if (!(bytes_per_second > 0) || std::isinf(bytes_per_second)) return std::nullopt;
  // Exact: log2 of a double is its exponent.
  return Load{static_cast<std::int16_t>(std::floor(static_cast<double>(std::ilogb(bytes_per_second)) / 2))};
}

std::optional<Load> load_of(const WindowJudgement& window, std::span<const GroupJudge::Column> columns) {
  return load_of(kSectorBytes * median_moved(columns, window.levels, Resource::kStorage));
}

std::string to_text(Load load) {
  return fmt::format("over {:.3g} MB/s", std::ldexp(1.0, 2 * load.step) / 1e6);
}

}  // namespace laggard::detect
