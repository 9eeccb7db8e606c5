#include <limits>

#include "analyse/peer/comparers.h"
#include "analyse/peer/l1_comparer.h"

namespace laggard::analyse {

namespace {

class Wasserstein final : public Comparer {
 public:
  explicit Wasserstein(const CompareOptions& options) : rule_(options.bins) {}

  void load(const SortedWindow& window) override {
    const Bins bins = choose_bins(window, rule_, scratch_, selector_);
    const double missing = static_cast<double>(bins.missing()) + 0.5;
    const std::size_t n = window.components();
    const std::span<double> matrix = questions_.resize(window.size(), n);
    for (std::size_t k = 0; k < window.size(); ++k) {
      const std::span<const double> row = window.order(k);
      for (std::size_t i = 0; i < n; ++i) {
        const bool here = row[i] <= std::numeric_limits<double>::max();
        matrix[k * n + i] = here ? (row[i] - bins.lowest) / bins.size : missing;
      }
    }
  }

  void scores(std::span<double> s) override { questions_.scores(s); }
  void scores_above(std::span<const double> floor, std::span<double> s) override {
    questions_.scores_above(floor, s);
  }
  void flags(std::span<const double> threshold, std::span<std::uint8_t> flagged) override {
    questions_.flags(threshold, flagged);
  }
  void distances(std::size_t component, std::span<double> d) override { questions_.distances(component, d); }

 private:
  BinRule rule_;
  std::vector<double> scratch_;
  stats::QuantileSelector selector_;
  L1Questions<double> questions_;
};

}  // namespace

std::unique_ptr<Comparer> make_wasserstein(const CompareOptions& options) {
  return std::make_unique<Wasserstein>(options);
}

}  // namespace laggard::analyse
