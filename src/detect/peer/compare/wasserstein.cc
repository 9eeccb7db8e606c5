#include <limits>

#include "detect/peer/compare/comparer.h"
#include "detect/peer/compare/l1_kernel.h"
#include "detect/peer/compare/l1_scores.h"
#include "stats/sorting_network.h"

namespace laggard::detect {

namespace {

/// Where nobody's distances but those to zero are needed, the others are not even sorted. All sums are made
/// in the order of order statistics, so that what a score is does not depend on how it was found.
class Wasserstein final : public Comparer {
 public:
  explicit Wasserstein(const CompareOptions& options) : rule_(options.bins) {}

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
    still_ ? quiet_majority_scores(*window_, from_zero_, s) : questions_.scores(s);
  }
  void scores_above(std::span<const double> floor, std::span<double> s) override {
    still_ ? quiet_majority_scores(*window_, from_zero_, s) : questions_.scores_above(floor, s);
  }
  void flags(std::span<const double> threshold, std::span<std::uint8_t> flagged) override {
    still_ ? Comparer::flags(threshold, flagged) : questions_.flags(threshold, flagged);
  }
  void distances(std::size_t component, std::span<double> d) override {
    if (!loaded_) load_all();
    questions_.distances(component, d);
  }

 private:
  void load_all() {
    loaded_ = true;
    const std::size_t n = window_->components();
    const std::span<double> matrix = questions_.resize(window_->size(), n);
    for (std::size_t k = 0; k < window_->size(); ++k) place(window_->order(k), matrix.subspan(k * n, n));
  }

  void measure_from_zero() {
    const std::size_t w = window_->size();
    const std::size_t m = window_->busy().size();
    if (network_rows_ != w) {
      network_ = stats::merge_exchange(static_cast<std::uint32_t>(w));
      network_rows_ = w;
    }
    busy_.resize(w * m);
    place(window_->busy_samples(), busy_);
    stats::sort_columns<double>(busy_, m, network_);
    const std::vector<double> zero(w, (0 - bins_.lowest) / bins_.size);
    from_zero_.resize(m);
    l1_to_point({busy_.data(), w, m}, zero.data(), from_zero_.data());
  }

  /// In bins; +infinity and NaN are missing.
  void place(std::span<const double> x, std::span<double> placed) const {
    const double missing = static_cast<double>(bins_.missing()) + 0.5;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const bool here = x[i] <= std::numeric_limits<double>::max();
      placed[i] = here ? (x[i] - bins_.lowest) / bins_.size : missing;
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
  std::vector<double> busy_;
  std::vector<double> from_zero_;  ///< Per busy component the sum of its distance to a quiet one.
  L1Questions<double> questions_;
};

}  // namespace

std::unique_ptr<Comparer> make_wasserstein(const CompareOptions& options) {
  return std::make_unique<Wasserstein>(options);
}

}  // namespace laggard::detect
