#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/missing.h"
#include "detect/peer/compare/comparers.h"

namespace laggard::detect {

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
  void load(const SortedWindow& window) override {
    const Window& w = window.window();
    std::vector<double>& sum = values();
    sum.assign(w.components, 0.0);
    for (std::size_t t = 0; t < w.size; ++t) {
      row_.clear();
      for (std::size_t i = 0; i < w.components; ++i) {
        if (!std::isnan(w.at(i, t))) row_.push_back(w.at(i, t));
      }
      if (row_.empty()) continue;
      const double middle = stats::median_in_place(row_);
      for (std::size_t i = 0; i < w.components; ++i) {
        const double x = w.at(i, t);
        if (!std::isnan(x)) sum[i] += std::abs(x - middle);
      }
    }
    for (std::size_t i = 0; i < w.components; ++i) {
      const auto present = static_cast<double>(window.present(i));
      sum[i] = present == 0 ? kMissing : sum[i] * (static_cast<double>(w.size) / present);
    }
  }

 private:
  std::vector<double> row_;
};

class Thresh final : public Scalar {
 public:
  void load(const SortedWindow& window) override {
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

}  // namespace laggard::detect
