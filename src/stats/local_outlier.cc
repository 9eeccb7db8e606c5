#include "stats/local_outlier.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace laggard::stats {

namespace {

/// The points and what is far from what.
class Neighbourhoods {
 public:
  Neighbourhoods(std::span<const double> points, std::size_t dimensions, const LocalOutlierOptions& options)
      : n_(points.size() / dimensions), options_(options), distances_(n_ * n_, 0) {
    for (std::size_t p = 0; p < n_; ++p) {
      for (std::size_t o = 0; o < p; ++o) {
        double sum = 0;
        for (std::size_t d = 0; d < dimensions; ++d) {
          const double apart = points[p * dimensions + d] - points[o * dimensions + d];
          sum += apart * apart;
        }
        distances_[p * n_ + o] = distances_[o * n_ + p] = std::sqrt(sum);
      }
    }
    for (std::size_t p = 0; p < n_; ++p) reach_.push_back(k_distance(p));
  }

  [[nodiscard]] std::size_t size() const { return n_; }

  /// The mean over the neighbourhood of a point of what `of` gives for each neighbour.
  template <typename Of>
  [[nodiscard]] double mean_over(std::size_t p, const Of& of) const {
    double sum = 0;
    double count = 0;
    for (std::size_t o = 0; o < n_; ++o) {
      if (o == p || distances_[p * n_ + o] > reach_[p]) continue;
      sum += of(o);
      ++count;
    }
    return sum / count;
  }

  [[nodiscard]] double reach(std::size_t p, std::size_t o) const {
    return std::max({reach_[o], distances_[p * n_ + o], options_.resolution});
  }

 private:
  [[nodiscard]] double k_distance(std::size_t p) {
    others_.clear();
    for (std::size_t o = 0; o < n_; ++o) {
      if (o != p) others_.push_back(distances_[p * n_ + o]);
    }
    const std::size_t k = std::min(options_.neighbours, others_.size());
    const auto at = others_.begin() + static_cast<std::ptrdiff_t>(k - 1);
    std::nth_element(others_.begin(), at, others_.end());
    return *at;
  }

  std::size_t n_;
  LocalOutlierOptions options_;
  std::vector<double> distances_;
  std::vector<double> reach_;  ///< The k-distances.
  std::vector<double> others_;
};

}  // namespace

std::vector<double> local_outlier_factors(std::span<const double> points, std::size_t dimensions,
                                          const LocalOutlierOptions& options) {
  LAGGARD_CHECK(dimensions > 0 && points.size() % dimensions == 0 && options.neighbours > 0 &&
                options.resolution > 0);
  const std::size_t n = points.size() / dimensions;
  std::vector<double> factors(n, 1);
  if (n < 2) return factors;
  const Neighbourhoods near(points, dimensions, options);
  std::vector<double> density(n);
  for (std::size_t p = 0; p < n; ++p) {
    density[p] = 1 / near.mean_over(p, [&](std::size_t o) { return near.reach(p, o); });
  }
  for (std::size_t p = 0; p < n; ++p) {
    factors[p] = near.mean_over(p, [&](std::size_t o) { return density[o]; }) / density[p];
  }
  return factors;
}

}  // namespace laggard::stats
