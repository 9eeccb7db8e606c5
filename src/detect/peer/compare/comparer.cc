#include "detect/peer/compare/comparer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include "base/error.h"
#include "base/missing.h"

namespace laggard::detect {

std::uint32_t Bins::bin_of(double x) const {
  if (!(x <= std::numeric_limits<double>::max())) return missing();
  const double bin = std::floor((x - lowest) / size);
  return static_cast<std::uint32_t>(std::clamp(bin, 0.0, static_cast<double>(count - 1)));
}

Bins choose_bins(SortedWindow& window, const BinRule& rule, std::vector<double>& scratch,
                 stats::QuantileSelector& selector) {
  LAGGARD_CHECK(window.has_samples() && rule.cap >= 1);
  const double range = window.highest() - window.lowest();
  const auto cap = static_cast<double>(rule.cap);
  Bins bins{.lowest = window.lowest(), .size = 1, .count = 1};
  // The second clause: a range so tiny that a thousandth of it is no number any more.
  if (range == 0 || range / cap == 0) return bins;

  double spread = 0;
  if (window.in_spread() < rule.mad_below) {
    spread = window.mad(scratch);
  } else {
    const auto [lower, upper] = window.quartiles(selector);
    spread = upper - lower;
  }
  bins.size = 2 * spread / std::cbrt(static_cast<double>(window.size()));
  if (spread == 0) bins.size = std::max(range / cap, rule.noise_floor);
  if (rule.floor_use == FloorUse::kAlways) bins.size = std::max(bins.size, rule.noise_floor);
  const double wanted = std::ceil(range / bins.size);
  if (wanted <= cap) {
    bins.count = static_cast<std::uint32_t>(std::max(wanted, 1.0));
  } else {
    bins.count = static_cast<std::uint32_t>(rule.cap);
    bins.size = range / cap;
  }
  return bins;
}

namespace {

constexpr std::array kDistances{Distance::kCdf, Distance::kWasserstein, Distance::kKl, Distance::kMedian,
                                Distance::kThresh};

/// IQR / (1.4826 MAD) of Gaussian data is 1.35; measured on heavier tails it is more.
constexpr double kMadScale = 1.5;

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

namespace {

/// Distances that are one number per component. A group of one has one too, but no peers to judge it by.
class Scalar : public Comparer {
 public:
  void set_noise_floor(double /*floor*/) override {}
  void scores(std::span<double> s) override {
    LAGGARD_CHECK(s.size() == values_.size());
    std::copy(values_.begin(), values_.end(), s.begin());
    if (s.size() < 2) std::fill(s.begin(), s.end(), kMissing);
  }
  void distances(std::size_t /*component*/, std::span<double> d) override {
    LAGGARD_CHECK(d.size() == values_.size());
    std::copy(values_.begin(), values_.end(), d.begin());
  }

 protected:
  std::vector<double>& values() { return values_; }

 private:
  std::vector<double> values_;
};

class Median final : public Scalar {
 public:
  void load(SortedWindow& window) override {
    const Window& w = window.window();
    std::vector<double>& sum = values();
    sum.assign(w.components, 0.0);
    row_.resize(w.components);
    for (std::size_t t = 0; t < w.size; ++t) {
      w.spread_row(t, row_);
      present_.clear();
      std::ranges::copy_if(row_, std::back_inserter(present_), [](double x) { return !std::isnan(x); });
      if (present_.empty()) continue;
      const double middle = stats::median_in_place(present_);
      for (std::size_t i = 0; i < w.components; ++i) {
        if (!std::isnan(row_[i])) sum[i] += std::abs(row_[i] - middle);
      }
    }
    for (std::size_t i = 0; i < w.components; ++i) {
      const auto present = static_cast<double>(window.present(i));
      sum[i] = present == 0 ? kMissing : sum[i] * (static_cast<double>(w.size) / present);
    }
  }

 private:
  std::vector<double> row_;
  std::vector<double> present_;
};

class Thresh final : public Scalar {
 public:
  void load(SortedWindow& window) override {
    values().resize(window.components());
    for (std::size_t i = 0; i < window.components(); ++i) {
      const std::size_t present = window.present(i);
      values()[i] = present == 0 ? kMissing : window.order(present - 1)[i];
    }
  }
};

}  // namespace

std::unique_ptr<Comparer> make_median() { return std::make_unique<Median>(); }
std::unique_ptr<Comparer> make_thresh() { return std::make_unique<Thresh>(); }

double kl_ceiling(std::size_t window_size, bool gaps, double smoothing) {
  const auto w = static_cast<double>(window_size);
  const double bins = static_cast<double>(sturges_bins(window_size)) + (gaps ? 1 : 0);
  return w / (w + smoothing * bins) * std::log((w + smoothing) / smoothing);
}

Scale ScaleMaker::make(Distance distance, const CompareOptions& options, SortedWindow& window,
                       std::span<const double> scores) {
  if (!window.has_samples()) return {};
  if (distance == Distance::kKl) {
    const bool gaps = window.samples().size() < window.components() * window.size();
    return {0, kl_ceiling(window.size(), gaps, options.kl_smoothing)};
  }
  const double factor = window.in_spread() < options.bins.mad_below ? kMadScale : 1;
  if (distance == Distance::kCdf || distance == Distance::kWasserstein) return {0, factor};
  const double bin = factor * choose_bins(window, options.bins, scratch_, selector_).size;
  if (distance == Distance::kMedian) return {0, static_cast<double>(window.size()) * bin};
  scratch_.clear();
  std::copy_if(scores.begin(), scores.end(), std::back_inserter(scratch_),
               [](double s) { return !std::isnan(s); });
  return {scratch_.empty() ? 0 : stats::median_in_place(scratch_), bin};
}

}  // namespace laggard::detect
