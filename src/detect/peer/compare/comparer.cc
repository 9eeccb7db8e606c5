#include "detect/peer/compare/comparer.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "detect/peer/compare/comparers.h"
#include "detect/peer/compare/partitions.h"

namespace laggard::detect {

namespace {

constexpr std::array kDistances{Distance::kCdf, Distance::kWasserstein, Distance::kKl, Distance::kMedian,
                                Distance::kThresh};

}  // namespace

std::string_view to_name(Distance distance) {
  switch (distance) {
    case Distance::kCdf:
      return "cdf";
    case Distance::kWasserstein:
      return "wasserstein";
    case Distance::kKl:
      return "kl";
    case Distance::kMedian:
      return "median";
    case Distance::kThresh:
      return "thresh";
  }
  return "";
}

std::optional<Distance> distance(std::string_view name) {
  for (const Distance candidate : kDistances) {
    if (to_name(candidate) == name) return candidate;
  }
  return std::nullopt;
}

void Comparer::scores_above(std::span<const double> floor, std::span<double> s) {
  LAGGARD_CHECK(floor.size() == s.size());
  scores(s);
}

void Comparer::flags(std::span<const double> threshold, std::span<std::uint8_t> flagged) {
  LAGGARD_CHECK(threshold.size() == flagged.size());
  std::vector<double> s(threshold.size());
  scores(s);
  for (std::size_t i = 0; i < s.size(); ++i) flagged[i] = s[i] > threshold[i] ? 1 : 0;
}

std::unique_ptr<Comparer> make_comparer(Distance distance, const CompareOptions& options) {
  const bool pairs = distance != Distance::kMedian && distance != Distance::kThresh;
  if (pairs && options.partition > 0) return make_partitioned(distance, options);
  switch (distance) {
    case Distance::kCdf:
      return make_cdf(options);
    case Distance::kWasserstein:
      return make_wasserstein(options);
    case Distance::kKl:
      return make_kl(options);
    case Distance::kMedian:
      return make_median();
    case Distance::kThresh:
      return make_thresh();
  }
  return nullptr;
}

}  // namespace laggard::detect
