#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/clones.h"
#include "base/error.h"
#include "base/missing.h"
#include "detect/peer/compare/comparer.h"

namespace laggard::detect {

namespace {

/// A matrix of bins x components.
struct BinMatrix {
  const double* share;  ///< P_b
  const double* log;    ///< ln P_b
  std::size_t bins;
  std::size_t components;
};

/// d[j] = 1/2 sum_b (P_b(i) - P_b(j)) (ln P_b(i) - ln P_b(j)).
LAGGARD_CLONES void divergences(BinMatrix m, std::size_t i, double* d) {
  const std::size_t n = m.components;
  std::fill_n(d, n, 0.0);
  for (std::size_t b = 0; b < m.bins; ++b) {
    const double* const share = m.share + b * n;
    const double* const log = m.log + b * n;
    for (std::size_t j = 0; j < n; ++j) d[j] += (share[i] - share[j]) * (log[i] - log[j]);
  }
  for (std::size_t j = 0; j < n; ++j) d[j] *= 0.5;
}

class Kl final : public Comparer {
 public:
  explicit Kl(const CompareOptions& options)
      : smoothing_(options.kl_smoothing), has_floor_(options.bins.floor_use == FloorUse::kAlways) {
    LAGGARD_CHECK(smoothing_ > 0);
    set_noise_floor(options.bins.noise_floor);
  }

  void set_noise_floor(double floor) override { least_bin_ = has_floor_ ? floor : 0; }

  void load(SortedWindow& window) override {
    const std::size_t n = window.components();
    const std::uint32_t count = sturges_bins(window.size());
    const double range = window.highest() - window.lowest();
    const double size = std::max(range / count, least_bin_);
    const Bins bins{.lowest = window.lowest(), .size = size > 0 ? size : 1, .count = size > 0 ? count : 1};
    const bool gaps = window.samples().size() < n * window.size();
    components_ = n;
    // Always all of Sturges' bins, also when every sample is in the first: the smoothing counts them.
    bins_ = count + (gaps ? 1 : 0);
    row_.resize(n);
    counts_.assign(bins_ * n, 0);
    for (std::size_t k = 0; k < window.size(); ++k) {
      for (std::size_t i = 0; i < n; ++i) {
        const double x = window.order(k)[i];
        const bool here = x <= std::numeric_limits<double>::max();
        ++counts_[(here ? bins.bin_of(x) : count) * n + i];
      }
    }
    find_shares(window.size());
  }

  void scores(std::span<double> s) override {
    LAGGARD_CHECK(s.size() == components_);
    for (std::size_t i = 0; i < components_; ++i) {
      if (components_ < 2) {
        s[i] = kMissing;
        continue;
      }
      divergences(matrix(), i, row_.data());
      std::swap(row_[i], row_.back());
      const auto at = row_.begin() + static_cast<std::ptrdiff_t>(score_rank(components_));
      std::nth_element(row_.begin(), at, row_.end() - 1);
      s[i] = *at;
    }
  }

  void distances(std::size_t component, std::span<double> d) override {
    divergences(matrix(), component, d.data());
    d[component] = kMissing;
  }

 private:
  [[nodiscard]] BinMatrix matrix() const { return {shares_.data(), logs_.data(), bins_, components_}; }

  void find_shares(std::size_t window_size) {
    const double total = static_cast<double>(window_size) + smoothing_ * static_cast<double>(bins_);
    log_of_count_.resize(window_size + 1);
    for (std::size_t c = 0; c <= window_size; ++c) {
      log_of_count_[c] = std::log((static_cast<double>(c) + smoothing_) / total);
    }
    shares_.resize(counts_.size());
    logs_.resize(counts_.size());
    for (std::size_t at = 0; at < counts_.size(); ++at) {
      shares_[at] = (static_cast<double>(counts_[at]) + smoothing_) / total;
      logs_[at] = log_of_count_[counts_[at]];
    }
  }

  double smoothing_;
  bool has_floor_;
  double least_bin_ = 0;
  std::size_t components_ = 0;
  std::size_t bins_ = 0;
  std::vector<std::uint32_t> counts_;  ///< bins x components
  std::vector<double> log_of_count_;
  std::vector<double> shares_;
  std::vector<double> logs_;
  std::vector<double> row_;
};

}  // namespace

std::uint32_t sturges_bins(std::size_t window_size) {
  return static_cast<std::uint32_t>(std::bit_width(window_size - 1)) + 1;
}

std::unique_ptr<Comparer> make_kl(const CompareOptions& options) { return std::make_unique<Kl>(options); }

}  // namespace laggard::detect
