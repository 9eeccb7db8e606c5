#include <algorithm>
#include <limits>

#include "analyse/peer/comparers.h"
#include "analyse/peer/l1_comparer.h"
#include "base/error.h"
#include "stats/clones.h"

namespace laggard::analyse {

namespace {

/// Bins of one row of order statistics; the same arithmetic as Bins::bin_of, in a form that vectorises.
/// Signed 32-bit intermediates: that is the conversion that every processor has an instruction for.
LAGGARD_CLONES void bin_row(const double* row, const Bins& bins, std::int32_t* out, std::size_t n) {
  const double lowest = bins.lowest;
  const double size = bins.size;
  const auto last = static_cast<double>(bins.count - 1);
  const auto missing = static_cast<std::int32_t>(bins.missing());
  for (std::size_t i = 0; i < n; ++i) {
    const bool here = row[i] <= std::numeric_limits<double>::max();
    const double bin = (row[i] - lowest) / size;
    // Truncation is floor here, as no sample lies below the lowest.
    const auto number = static_cast<std::int32_t>(bin < last ? bin : last);
    out[i] = here ? number : missing;
  }
}

class Cdf final : public Comparer {
 public:
  explicit Cdf(const CompareOptions& options) : rule_(options.bins) {}

  void load(const SortedWindow& window) override {
    const std::size_t w = window.size();
    const std::size_t n = window.components();
    const Bins bins = choose_bins(window, rule_, scratch_, selector_);
    // Sums of 16 bits are twice as fast; most windows have far fewer bins than the cap.
    constexpr std::size_t kMost16 = std::numeric_limits<std::uint16_t>::max();
    constexpr std::size_t kMostBin = std::numeric_limits<std::int16_t>::max();
    narrow_ = bins.missing() <= kMostBin && w * bins.missing() <= kMost16;
    LAGGARD_CHECK(narrow_ || bins.missing() <= std::numeric_limits<std::uint32_t>::max() / w);
    row_.resize(n);
    if (narrow_) {
      fill(window, bins, narrow_questions_.resize(w, n));
    } else {
      fill(window, bins, wide_questions_.resize(w, n));
    }
  }

  void scores(std::span<double> s) override {
    narrow_ ? narrow_questions_.scores(s) : wide_questions_.scores(s);
  }
  void scores_above(std::span<const double> floor, std::span<double> s) override {
    narrow_ ? narrow_questions_.scores_above(floor, s) : wide_questions_.scores_above(floor, s);
  }
  void flags(std::span<const double> threshold, std::span<std::uint8_t> flagged) override {
    narrow_ ? narrow_questions_.flags(threshold, flagged) : wide_questions_.flags(threshold, flagged);
  }
  void distances(std::size_t component, std::span<double> d) override {
    narrow_ ? narrow_questions_.distances(component, d) : wide_questions_.distances(component, d);
  }

 private:
  template <typename Element>
  void fill(const SortedWindow& window, const Bins& bins, std::span<Element> matrix) {
    const std::size_t n = window.components();
    for (std::size_t k = 0; k < window.size(); ++k) {
      bin_row(window.order(k).data(), bins, row_.data(), n);
      std::transform(row_.begin(), row_.end(), matrix.begin() + static_cast<std::ptrdiff_t>(k * n),
                     [](std::int32_t bin) { return static_cast<Element>(bin); });
    }
  }

  BinRule rule_;
  std::vector<double> scratch_;
  std::vector<std::int32_t> row_;
  stats::QuantileSelector selector_;
  bool narrow_ = true;
  L1Questions<std::int16_t> narrow_questions_;
  L1Questions<std::int32_t> wide_questions_;
};

}  // namespace

std::unique_ptr<Comparer> make_cdf(const CompareOptions& options) { return std::make_unique<Cdf>(options); }

}  // namespace laggard::analyse
