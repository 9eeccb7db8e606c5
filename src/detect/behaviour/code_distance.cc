#include "detect/behaviour/code_distance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "base/error.h"

namespace laggard::detect {

namespace {

constexpr std::array<std::string_view, 4> kNames{"manhattan", "relative", "scaled", "kl"};

template <typename Term>
double sum(std::span<const double> p, std::span<const double> q, std::span<const double> weights,
           Term&& term) {
  double total = 0;
  for (std::size_t f = 0; f < p.size(); ++f) total += weights[f] * term(p[f], q[f]);
  return total;
}

}  // namespace

std::string_view to_name(CodeDistance distance) { return kNames.at(static_cast<std::size_t>(distance)); }

std::optional<CodeDistance> code_distance(std::string_view name) {
  const auto* const found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<CodeDistance>(found - kNames.begin());
}

double distance_between(CodeDistance distance, std::span<const double> p, std::span<const double> q,
                        std::span<const double> weights) {
  LAGGARD_CHECK(p.size() == q.size() && p.size() == weights.size());
  switch (distance) {
    case CodeDistance::kManhattan:
      return sum(p, q, weights, [](double a, double b) { return std::abs(a - b); });
    case CodeDistance::kRelative:
      return sum(p, q, weights,
                 [](double a, double b) { return a == b ? 0.0 : std::abs(a - b) / std::max(a, b); });
    case CodeDistance::kScaled:
      return sum(p, q, weights,
                 [](double a, double b) { return a == b ? 0.0 : (a - b) * (a - b) / std::max(a, b); });
    case CodeDistance::kKl:
      // p log(p/q) + q log(q/p) = (p - q) log(p/q)
      return sum(p, q, weights, [](double a, double b) {
        return 0.5 * (a - b) * std::log(std::max(a, kKlFloor) / std::max(b, kKlFloor));
      });
  }
  return 0;
}

}  // namespace laggard::detect
