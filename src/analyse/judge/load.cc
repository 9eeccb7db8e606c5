#include "analyse/judge/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "analyse/judge/peers.h"
#include "base/missing.h"

namespace laggard::analyse {

namespace {

constexpr double kSectorBytes = 512;

}  // namespace

std::optional<Load> load_of(double bytes_per_second) {
  if (!(bytes_per_second > 0) || std::isinf(bytes_per_second)) return std::nullopt;
  // Exact: log2 of a double is its exponent.
  return Load{static_cast<std::int16_t>(std::floor(static_cast<double>(std::ilogb(bytes_per_second)) / 2))};
}

std::optional<Load> load_of(const WindowJudgement& window, std::span<const GroupJudge::Column> columns) {
  return load_of(kSectorBytes * median_of_sum(columns, window.levels, "rd_sec", "wr_sec"));
}

double median_of_sum(std::span<const GroupJudge::Column> columns, std::span<const std::vector<double>> levels,
                     std::string_view one, std::string_view other) {
  const auto levels_of = [&](std::string_view metric) -> const std::vector<double>* {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (columns[c].metric->name == metric) return &levels[c];
    }
    return nullptr;
  };
  const std::vector<double>* a = levels_of(one);
  const std::vector<double>* b = levels_of(other);
  if (a == nullptr || b == nullptr) return kMissing;
  std::vector<double> sum(a->size());
  std::ranges::transform(*a, *b, sum.begin(), std::plus<>());
  return median_of(sum);
}

std::string to_text(Load load) {
  return fmt::format("over {:.3g} MB/s", std::ldexp(1.0, 2 * load.step) / 1e6);
}

}  // namespace laggard::analyse
