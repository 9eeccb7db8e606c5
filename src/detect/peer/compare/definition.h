#pragma once

// Peer comparison as the papers define it, slowly: histograms, all pairs, sorting, search by steps. Only
// tests and benchmarks include this; it shares no arithmetic with what it is compared with.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "base/missing.h"
#include "detect/peer/compare/comparer.h"
#include "detect/peer/compare/window.h"

namespace laggard::detect::definition {

using Samples = std::vector<std::vector<double>>;  ///< Per component its window, NaN where missing.

inline double quantile(std::vector<double> x, double p) {
  std::sort(x.begin(), x.end());
  const double h = static_cast<double>(x.size() - 1) * p;
  const auto low = static_cast<std::size_t>(h);
  const double f = h - std::floor(h);
  return f == 0 ? x[low] : x[low] + f * (x[low + 1] - x[low]);
}

inline double mad(const std::vector<double>& x) {
  const double centre = quantile(x, 0.5);
  std::vector<double> deviations;
  deviations.reserve(x.size());
  for (const double value : x) deviations.push_back(std::abs(value - centre));
  return 1.4826 * quantile(deviations, 0.5);
}

inline std::vector<double> present(const Samples& samples) {
  std::vector<double> all;
  for (const auto& series : samples) {
    std::copy_if(series.begin(), series.end(), std::back_inserter(all), [](double v) { return v == v; });
  }
  return all;
}

struct Histogram {
  double lowest = 0;
  double bin_size = 1;
  std::size_t bins = 1;

  [[nodiscard]] std::size_t bin(double x) const {
    if (std::isnan(x)) return bins;
    return std::min(static_cast<std::size_t>(std::floor((x - lowest) / bin_size)), bins - 1);
  }
  [[nodiscard]] std::vector<std::uint64_t> counts(const std::vector<double>& series) const {
    std::vector<std::uint64_t> count(bins + 1, 0);
    for (const double x : series) ++count[bin(x)];
    return count;
  }
};

/// T §3.3 with docs/methods/peer.md's fallbacks; the spread is that of `counted`, which are some of the
/// samples.
inline Histogram freedman_diaconis(const Samples& samples, const Samples& counted, const BinRule& rule) {
  const std::vector<double> all = present(samples);
  const std::vector<double> of_spread = present(counted);
  const double low = *std::min_element(all.begin(), all.end());
  const double high = *std::max_element(all.begin(), all.end());
  if (low == high || (high - low) / static_cast<double>(rule.cap) == 0) return {low, 1, 1};
  const auto alive = static_cast<std::size_t>(
      std::count_if(counted.begin(), counted.end(), [](const std::vector<double>& series) {
        return std::any_of(series.begin(), series.end(), [](double v) { return v == v; });
      }));
  const double spread =
      alive < rule.mad_below ? mad(of_spread) : quantile(of_spread, 0.75) - quantile(of_spread, 0.25);
  double size = 2 * spread / std::cbrt(static_cast<double>(samples.front().size()));
  if (spread == 0) size = std::max((high - low) / static_cast<double>(rule.cap), rule.noise_floor);
  if (rule.floor_use == FloorUse::kAlways) size = std::max(size, rule.noise_floor);
  const double bins = std::ceil((high - low) / size);
  if (bins > static_cast<double>(rule.cap)) {
    return {low, (high - low) / static_cast<double>(rule.cap), rule.cap};
  }
  return {low, size, static_cast<std::size_t>(bins)};
}

/// T §3.3: sum over the bins of |P - Q|, P and Q cumulative.
inline double cdf_distance(const Histogram& h, const std::vector<double>& x, const std::vector<double>& y) {
  const auto p = h.counts(x);
  const auto q = h.counts(y);
  std::int64_t cumulative = 0;
  std::int64_t sum = 0;
  for (std::size_t b = 0; b < p.size(); ++b) {
    cumulative += static_cast<std::int64_t>(p[b]) - static_cast<std::int64_t>(q[b]);
    sum += std::abs(cumulative);
  }
  return static_cast<double>(sum) / static_cast<double>(x.size());
}

inline double wasserstein_distance(const Histogram& h, const std::vector<double>& x,
                                   const std::vector<double>& y) {
  const auto placed = [&h](const std::vector<double>& series) {
    std::vector<double> out;
    out.reserve(series.size());
    for (const double v : series) {
      out.push_back(std::isnan(v) ? static_cast<double>(h.bins) + 0.5 : (v - h.lowest) / h.bin_size);
    }
    std::sort(out.begin(), out.end());
    return out;
  };
  const auto a = placed(x);
  const auto b = placed(y);
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += std::abs(a[k] - b[k]);
  return sum / static_cast<double>(a.size());
}

/// F §10.1: 1/2 [D(P||Q) + D(Q||P)] with ceil(log2 W) + 1 bins (as an option no smaller than the noise
/// floor), one more for missing samples if any are.
inline double kl_distance(const Samples& samples, const std::vector<double>& all, std::size_t i,
                          std::size_t j, const CompareOptions& options) {
  const double smoothing = options.kl_smoothing;
  const double low = *std::min_element(all.begin(), all.end());
  const double high = *std::max_element(all.begin(), all.end());
  const auto w = samples.front().size();
  const auto bins = static_cast<std::size_t>(std::ceil(std::log2(static_cast<double>(w)))) + 1;
  double size = (high - low) / static_cast<double>(bins);
  if (options.bins.floor_use == FloorUse::kAlways) size = std::max(size, options.bins.noise_floor);
  const Histogram h{low, size > 0 ? size : std::numeric_limits<double>::infinity(), bins};
  const bool gaps = all.size() < samples.size() * w;
  const std::size_t used = bins + (gaps ? 1 : 0);
  const auto p = h.counts(samples[i]);
  const auto q = h.counts(samples[j]);
  const double total = static_cast<double>(w) + smoothing * static_cast<double>(used);
  double there = 0;
  double back = 0;
  for (std::size_t b = 0; b < used; ++b) {
    const double pb = (static_cast<double>(p[b]) + smoothing) / total;
    const double qb = (static_cast<double>(q[b]) + smoothing) / total;
    there += pb * std::log(pb / qb);
    back += qb * std::log(qb / pb);
  }
  return 0.5 * (there + back);
}

/// T §5.8.
inline double median_distance(const Samples& samples, std::size_t i) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t t = 0; t < samples[i].size(); ++t) {
    if (std::isnan(samples[i][t])) continue;
    std::vector<double> now;
    for (const auto& series : samples) {
      if (!std::isnan(series[t])) now.push_back(series[t]);
    }
    sum += std::abs(samples[i][t] - quantile(now, 0.5));
    ++count;
  }
  if (count == 0) return kMissing;
  return sum * (static_cast<double>(samples[i].size()) / static_cast<double>(count));
}

inline double thresh_distance(const Samples& samples, std::size_t i) {
  double largest = kMissing;
  for (const double x : samples[i]) largest = std::isnan(x) ? largest : std::fmax(largest, x);
  return largest;
}

/// What all pairs of a window have in common.
struct Common {
  std::vector<double> all;
  Histogram histogram;
};

inline Common common(const Samples& samples, const CompareOptions& options) {
  return {present(samples), freedman_diaconis(samples, samples, options.bins)};
}

/// The distances of one component to the n - 1 others.
inline std::vector<double> pairwise(const Samples& samples, const Common& common, std::size_t i,
                                    Distance distance, const CompareOptions& options) {
  std::vector<double> d;
  const Histogram& h = common.histogram;
  for (std::size_t j = 0; j < samples.size(); ++j) {
    if (j == i) continue;
    if (distance == Distance::kCdf) d.push_back(cdf_distance(h, samples[i], samples[j]));
    if (distance == Distance::kWasserstein) d.push_back(wasserstein_distance(h, samples[i], samples[j]));
    if (distance == Distance::kKl) d.push_back(kl_distance(samples, common.all, i, j, options));
  }
  return d;
}

/// T §3.3, F §10.1: more than half of the pairwise distances exceed the threshold.
inline bool more_than_half_exceed(const std::vector<double>& d, double threshold) {
  const auto above = std::count_if(d.begin(), d.end(), [threshold](double x) { return x > threshold; });
  return 2 * static_cast<std::size_t>(above) > d.size();
}

/// What a random window may look like: each kind is one that has its own way of going wrong.
inline double draw_sample(std::mt19937_64& random, unsigned kind) {
  std::normal_distribution<double> normal(100, 10);
  switch (kind) {
    case 0:
      return normal(random);
    case 1:
      return static_cast<double>(random() % 4);  // ties
    case 2:
      return 7;  // constant
    case 3:
      return random() % 8 == 0 ? normal(random) : 0;  // idle most of the time
    case 4:
      return random() % 50 == 0 ? 1e9 * normal(random) : normal(random);  // huge outliers: the cap
    case 5:
      return std::exp2(normal(random) / 4);  // heavy tail
    default:
      return -normal(random) * 1e-6;
  }
}

/// n components' windows of W samples: one or two of them sick, some samples missing, some components absent.
inline Samples draw_samples(std::mt19937_64& random, std::size_t n, std::size_t w) {
  const auto kind = static_cast<unsigned>(random() % 7);
  const auto gaps = static_cast<unsigned>(random() % 4);  // 0: none
  Samples samples(n, std::vector<double>(w));
  for (auto& series : samples) {
    const bool absent = gaps == 3 && random() % 8 == 0;
    const double factor = random() % 10 == 0 ? 1.5 : 1;
    const double offset = random() % 10 == 0 ? 3 : 0;
    for (double& x : series) {
      const bool missing = absent || (gaps >= 1 && random() % 16 < gaps);
      x = missing ? kMissing : factor * draw_sample(random, kind) + offset;
    }
  }
  samples[0][0] = std::isnan(samples[0][0]) ? draw_sample(random, kind) : samples[0][0];
  return samples;
}

/// The samples as a stream hands them out.
inline std::vector<double> columns_of(const Samples& samples) {
  const std::size_t w = samples.front().size();
  std::vector<double> values(samples.size() * w);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    for (std::size_t t = 0; t < w; ++t) values[t * samples.size() + i] = samples[i][t];
  }
  return values;
}

}  // namespace laggard::detect::definition
