#include <algorithm>
#include <limits>

#include "base/clones.h"
#include "base/error.h"
#include "detect/peer/compare/comparer.h"
#include "detect/peer/compare/l1_scores.h"
#include "stats/sorting_network.h"

namespace laggard::detect {

namespace {

/// Bins of samples; the same arithmetic as Bins::bin_of, in a form that vectorises.
/// Signed 32-bit intermediates: that is the conversion that every processor has an instruction for.
template <typename Element>
LAGGARD_INLINE void bin_all(const double* x, const Bins& bins, Element* out, std::size_t n) {
  const double lowest = bins.lowest;
  const double size = bins.size;
  const auto last = static_cast<double>(bins.count - 1);
  const auto missing = static_cast<std::int32_t>(bins.missing());
  for (std::size_t i = 0; i < n; ++i) {
    const bool here = x[i] <= std::numeric_limits<double>::max();
    const double bin = (x[i] - lowest) / size;
    // Truncation is floor here, as no sample lies below the lowest.
    const auto number = static_cast<std::int32_t>(bin < last ? bin : last);
    out[i] = static_cast<Element>(here ? number : missing);
  }
}
LAGGARD_CLONES void bin_samples(std::span<const double> x, const Bins& bins, std::int16_t* out) {
  bin_all(x.data(), bins, out, x.size());
}
LAGGARD_CLONES void bin_samples(std::span<const double> x, const Bins& bins, std::int32_t* out) {
  bin_all(x.data(), bins, out, x.size());
}

/// sum[i] += |row[i] - point|
LAGGARD_CLONES void add_gaps(const std::int32_t* row, std::int32_t point, std::uint32_t* sum, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    sum[i] += static_cast<std::uint32_t>(row[i] < point ? point - row[i] : row[i] - point);
  }
}

/// Bins do not change the order of samples, so that sorted bins are the bins of order statistics: small
/// integers are binned first and sorted then, which is several times faster than to sort doubles.
/// In a group with a quiet majority (l1_scores.h) the order of samples does not matter, as all are
/// compared with one bin.
class Cdf final : public Comparer {
 public:
  explicit Cdf(const CompareOptions& options) : rule_(options.bins) {}

  void set_noise_floor(double floor) override { rule_.noise_floor = floor; }

  void load(SortedWindow& window) override {
    window_ = &window;
    bins_ = choose_bins(window, rule_, scratch_, selector_);
    still_ = quiet_majority(window);
    loaded_ = false;
    if (still_) {
      measure_from_zero();
    } else {
      load_all();
    }
  }

  void scores(std::span<double> s) override {
    if (still_) return quiet_majority_scores(*window_, from_zero_, s);
    narrow_ ? narrow_questions_.scores(s) : wide_questions_.scores(s);
  }
  void scores_above(std::span<const double> floor, std::span<double> s) override {
    if (still_) return quiet_majority_scores(*window_, from_zero_, s);
    narrow_ ? narrow_questions_.scores_above(floor, s) : wide_questions_.scores_above(floor, s);
  }
  void flags(std::span<const double> threshold, std::span<std::uint8_t> flagged) override {
    if (still_) return Comparer::flags(threshold, flagged);
    narrow_ ? narrow_questions_.flags(threshold, flagged) : wide_questions_.flags(threshold, flagged);
  }
  void distances(std::size_t component, std::span<double> d) override {
    if (!loaded_) load_all();
    narrow_ ? narrow_questions_.distances(component, d) : wide_questions_.distances(component, d);
  }

 private:
  void load_all() {
    loaded_ = true;
    const std::size_t w = window_->size();
    const std::size_t n = window_->components();
    if (network_rows_ != w) {
      network_ = stats::merge_exchange(static_cast<std::uint32_t>(w));
      network_rows_ = w;
    }
    // Sums of 16 bits are twice as fast; most windows have far fewer bins than the cap.
    constexpr std::size_t kMost16 = std::numeric_limits<std::uint16_t>::max();
    constexpr std::size_t kMostBin = std::numeric_limits<std::int16_t>::max();
    narrow_ = bins_.missing() <= kMostBin && w * bins_.missing() <= kMost16;
    LAGGARD_CHECK(narrow_ || bins_.missing() <= std::numeric_limits<std::uint32_t>::max() / w);
    if (narrow_) {
      fill(narrow_questions_.resize(w, n));
    } else {
      fill(wide_questions_.resize(w, n));
    }
  }

  template <typename Element>
  void fill(std::span<Element> matrix) {
    const std::size_t n = window_->components();
    if (window_->quiet() == 0) {
      bin_samples(window_->busy_samples(), bins_, matrix.data());
      stats::sort_columns<Element>(matrix, n, network_);
      return;
    }
    const std::span<const std::uint32_t> busy = window_->busy();
    const std::size_t m = busy.size();
    std::vector<Element>& of_busy = binned<Element>();
    of_busy.resize(window_->size() * m);
    bin_samples(window_->busy_samples(), bins_, of_busy.data());
    stats::sort_columns<Element>(of_busy, m, network_);
    std::ranges::fill(matrix, static_cast<Element>(bins_.bin_of(0)));
    for (std::size_t k = 0; k < window_->size(); ++k) {
      for (std::size_t b = 0; b < m; ++b) matrix[k * n + busy[b]] = of_busy[k * m + b];
    }
  }

  template <typename Element>
  std::vector<Element>& binned() {
    if constexpr (sizeof(Element) == sizeof(std::int16_t)) {
      return narrow_busy_;
    } else {
      return wide_busy_;
    }
  }

  void measure_from_zero() {
    const std::size_t w = window_->size();
    const std::size_t m = window_->busy().size();
    LAGGARD_CHECK(bins_.missing() <= std::numeric_limits<std::uint32_t>::max() / w);
    from_zero_.assign(m, 0);
    row_.resize(m);
    const auto zero = static_cast<std::int32_t>(bins_.bin_of(0));
    for (std::size_t k = 0; k < w; ++k) {
      bin_samples(window_->busy_samples().subspan(k * m, m), bins_, row_.data());
      add_gaps(row_.data(), zero, from_zero_.data(), m);
    }
  }

  BinRule rule_;
  SortedWindow* window_ = nullptr;
  Bins bins_;
  std::vector<double> scratch_;
  stats::QuantileSelector selector_;
  std::vector<stats::Comparator> network_;
  std::size_t network_rows_ = 0;
  bool still_ = false;   ///< More than half of the group is quiet.
  bool loaded_ = false;  ///< All are ready to be compared with each other.
  bool narrow_ = true;
  std::vector<std::uint32_t> from_zero_;  ///< Per busy component the sum of its distance to a quiet one.
  std::vector<std::int32_t> row_;
  std::vector<std::int16_t> narrow_busy_;  ///< Bins of the busy ones, where not all are.
  std::vector<std::int32_t> wide_busy_;
  L1Questions<std::int16_t> narrow_questions_;
  L1Questions<std::int32_t> wide_questions_;
};

}  // namespace

std::unique_ptr<Comparer> make_cdf(const CompareOptions& options) { return std::make_unique<Cdf>(options); }

}  // namespace laggard::detect
