#include "detect/peer/judge/levels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/missing.h"
#include "stats/missing_values.h"

namespace laggard::detect {

const std::vector<double>* levels_of(std::span<const GroupJudge::Column> columns,
                                     std::span<const std::vector<double>> levels, Quantity quantity) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].metric->quantity == quantity) return &levels[c];
  }
  return nullptr;
}

double median_moved(std::span<const GroupJudge::Column> columns, std::span<const std::vector<double>> levels,
                    Resource resource) {
  const auto [one, other] = moved(resource);
  const std::vector<double>* a = levels_of(columns, levels, one);
  const std::vector<double>* b = levels_of(columns, levels, other);
  if (a == nullptr || b == nullptr) return kMissing;
  std::vector<double> sum(a->size());
  std::ranges::transform(*a, *b, sum.begin(), std::plus<>());
  return stats::median_of(sum);
}

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

std::vector<double> slowdown_of(std::span<const double> busy, std::span<const double> requests) {
  std::vector<double> in_all(busy.size(), kMissing);
  std::vector<double> with_each(busy.size(), kMissing);
  for (std::size_t i = 0; i < in_all.size(); ++i) {
    if (!(busy[i] > 0 && requests[i] > 0)) continue;
    in_all[i] = busy[i];
    with_each[i] = busy[i] / requests[i];
  }
  const stats::MedianOfOthers all(in_all);
  const stats::MedianOfOthers each(with_each);
  std::vector<double> slowdown;
  for (std::size_t i = 0; i < in_all.size(); ++i) {
    slowdown.push_back(
        std::max(in_all[i] / all.without(in_all[i]), with_each[i] / each.without(with_each[i])));
  }
  return slowdown;
}

std::vector<double> slowdown_of(const WindowJudgement& window, std::span<const GroupJudge::Column> columns) {
  const std::vector<double>* busy = levels_of(columns, window.levels, Quantity::kBusyTime);
  const std::vector<double>* requests = levels_of(columns, window.levels, Quantity::kRequests);
  if (busy == nullptr || requests == nullptr) return {};
  return slowdown_of(*busy, *requests);
}

void ask_for_magnitude(std::span<const double> slowdown, const Parameters& parameters, double saturated,
                       std::span<double> thresholds) {
  for (std::size_t i = 0; i < slowdown.size(); ++i) {
    if (slowdown[i] < parameters.least_slowdown) thresholds[i] = std::max(thresholds[i], saturated);
  }
}

}  // namespace laggard::detect
