#include "detect/peer/compare/scale.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "detect/peer/compare/comparer.h"

namespace laggard::detect {

namespace {

/// IQR / (1.4826 MAD) of Gaussian data is 1.35; measured on heavier tails it is more.
constexpr double kMadScale = 1.5;

}  // namespace

double kl_ceiling(std::size_t window_size, bool gaps, double smoothing) {
  const auto w = static_cast<double>(window_size);
  const double bins = static_cast<double>(sturges_bins(window_size)) + (gaps ? 1 : 0);
  return w / (w + smoothing * bins) * std::log((w + smoothing) / smoothing);
}

Scale ScaleMaker::make(Distance distance, const CompareOptions& options, const SortedWindow& window,
                       std::span<const double> scores) {
  if (!window.has_samples()) return {};
  if (distance == Distance::kKl) {
    const bool gaps = window.samples().size() < window.components() * window.size();
    return {0, kl_ceiling(window.size(), gaps, options.kl_smoothing)};
  }
  const double factor = window.active() < options.bins.mad_below ? kMadScale : 1;
  if (distance == Distance::kCdf || distance == Distance::kWasserstein) return {0, factor};
  const double bin = factor * choose_bins(window, options.bins, scratch_, selector_).size;
  if (distance == Distance::kMedian) return {0, static_cast<double>(window.size()) * bin};
  scratch_.clear();
  std::copy_if(scores.begin(), scores.end(), std::back_inserter(scratch_),
               [](double s) { return !std::isnan(s); });
  return {scratch_.empty() ? 0 : stats::median_in_place(scratch_), bin};
}

}  // namespace laggard::detect
