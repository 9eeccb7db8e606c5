#include "detect/peer/compare/training.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/error.h"
#include "base/missing.h"

namespace laggard::detect {

namespace {

/// 10 for 0.1; 0 when `step` is no such fraction.
double parts_of_one(double step) {
  const double parts = std::round(1 / step);
  return parts >= 1 && 1 / parts == step ? parts : 0;
}

}  // namespace

double grid_value(std::uint64_t g, double step) {
  const double parts = parts_of_one(step);
  return parts > 0 ? static_cast<double>(g) / parts : static_cast<double>(g) * step;
}

double round_up_to_grid(double value, double step) {
  LAGGARD_CHECK(step > 0 && value >= 0);
  // Beyond this the grid is finer than the numbers are.
  constexpr double kMost = 1e15;
  if (value / step > kMost) return value;
  auto g = static_cast<std::uint64_t>(std::max(1.0, std::ceil(value / step)));
  while (g > 1 && grid_value(g - 1, step) >= value) --g;
  while (grid_value(g, step) < value) ++g;
  return grid_value(g, step);
}

ThresholdTrainer::ThresholdTrainer(const TrainingSpec& spec, std::size_t components)
    : spec_(spec),
      components_(components),
      span_(spec.form == TrainingForm::kFiltered ? 2 * spec.k - 1 : 1),
      floors_(components, 0.0),
      trained_(components, 0),
      recent_(components * span_, kMissing),
      largest_(components, 0.0),
      shown_(components, 0) {
  LAGGARD_CHECK(spec.k >= 1 && spec.step > 0 && spec.factor > 0);
}

void ThresholdTrainer::add(std::int64_t window, std::span<const double> s) {
  LAGGARD_CHECK(s.size() == components_ && (!started_ || window > last_window_));
  const auto span = static_cast<std::int64_t>(span_);
  // Windows that never came leave their slots empty.
  const std::int64_t first_new = started_ ? std::max(last_window_ + 1, window - span + 1) : window;
  const auto slot_of = [span](std::int64_t w) {
    return static_cast<std::size_t>(((w % span) + span) % span);
  };
  for (std::int64_t w = first_new; w <= window; ++w) {
    for (std::size_t i = 0; i < components_; ++i) recent_[i * span_ + slot_of(w)] = kMissing;
  }
  started_ = true;
  last_window_ = window;
  for (std::size_t i = 0; i < components_; ++i) {
    if (std::isnan(s[i])) continue;
    trained_[i] = 1;
    ++shown_[i];
    largest_[i] = std::max(largest_[i], s[i]);
    if (spec_.form == TrainingForm::kSingle) {
      floors_[i] = std::max(floors_[i], s[i]);
      continue;
    }
    recent_[i * span_ + slot_of(window)] = s[i];
    add_filtered(i);
  }
}

/// The k-th largest of the span that ends here.
void ThresholdTrainer::add_filtered(std::size_t component) {
  scratch_.clear();
  for (const double s : std::span(recent_).subspan(component * span_, span_)) {
    if (s > floors_[component]) scratch_.push_back(s);
  }
  if (scratch_.size() < spec_.k) return;
  const auto at = scratch_.begin() + static_cast<std::ptrdiff_t>(spec_.k - 1);
  std::nth_element(scratch_.begin(), at, scratch_.end(), std::greater<>());
  floors_[component] = *at;
}

void ThresholdTrainer::forget(std::size_t component) {
  floors_[component] = largest_[component] = 0;
  trained_[component] = 0;
  shown_[component] = 0;
  std::ranges::fill(std::span(recent_).subspan(component * span_, span_), kMissing);
}

void ThresholdTrainer::end_recording() {
  for (std::size_t i = 0; i < components_; ++i) {
    if (shown_[i] > 0 && shown_[i] < spec_.k) floors_[i] = std::max(floors_[i], largest_[i]);
  }
  std::fill(recent_.begin(), recent_.end(), kMissing);
  std::fill(largest_.begin(), largest_.end(), 0.0);
  std::fill(shown_.begin(), shown_.end(), 0U);
  started_ = false;
}

double threshold_from(const TrainingSpec& spec, double largest) {
  const double half_way = std::max(largest, (largest + spec.ceiling) / 2);
  return std::min(spec.factor * round_up_to_grid(largest, spec.step), half_way);
}

TrainedGroup ThresholdTrainer::result() const {
  TrainedGroup group{std::vector<double>(components_, kMissing), trained_, kMissing};
  for (std::size_t i = 0; i < components_; ++i) {
    if (trained_[i] == 0) continue;
    group.thresholds[i] = threshold_from(spec_, floors_[i]);
    group.largest = std::fmax(group.largest, group.thresholds[i]);
  }
  for (std::size_t i = 0; i < components_; ++i) {
    if (trained_[i] == 0) group.thresholds[i] = group.largest;
  }
  return group;
}

void learn(ThresholdTrainer& trainer, Comparer& comparer, SortedWindow& window) {
  std::vector<double> s(window.components());
  comparer.load(window);
  comparer.scores_above(trainer.floors(), s);
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (window.present(i) == 0) s[i] = kMissing;
  }
  trainer.add(window.window().index, s);
}

}  // namespace laggard::detect
