#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "detect/peer/compare/comparer.h"
#include "detect/peer/compare/preset.h"
#include "detect/peer/compare/window.h"

namespace laggard::detect {

struct TrainingSpec {
  TrainingForm form = TrainingForm::kFiltered;
  std::size_t k = 3;  ///< Of the filter, for kFiltered; at least 1.
  double step = 0.1;  ///< Thresholds are multiples of this, at least one of it (F §10.1).
  double factor = 2;  ///< The threshold found is multiplied by this (F §10.1: doubled).
  /// The most that the distance can be. Twice a healthy score may lie above it, and would never be exceeded:
  /// then the threshold is half-way between the score and the ceiling (**ours**).
  double ceiling = std::numeric_limits<double>::infinity();
  bool operator==(const TrainingSpec&) const = default;
};

/// T of a T* (ThresholdTrainer).
[[nodiscard]] double threshold_from(const TrainingSpec& spec, double largest);

/// What training found for one peer group in one metric.
struct TrainedGroup {
  std::vector<double> thresholds;     ///< n; NaN for all when the recordings held nothing of the group.
  std::vector<std::uint8_t> trained;  ///< n: 0 where the threshold is the group's maximum for want of data.
  double largest = 0;                 ///< The group's maximum; NaN as above.
};

/// Learns thresholds from fault-free recordings, in one pass over their windows (F §10.1, T §3.3.1).
///
/// The papers raise a component's threshold from 0.1 in steps of 0.1 until nothing of it is anomalous. As
/// "anomalous" is s > T, no search is needed; before rounding the answer is
///   T* = the largest s over all windows                                           (kSingle), or
///   T* = the largest, over all spans of 2k-1 windows in a row, of the k-th largest s in it (kFiltered),
/// and T = min(factor * step * max(1, ceil(T* / step)), (T* + ceiling) / 2). A span holds the windows of one
/// recording only, and fewer than 2k-1 at its start; windows that never came take their place in it. A
/// component that shows fewer than k windows in a recording, which no filter could have flagged, trains on
/// its largest s there.
class ThresholdTrainer {
 public:
  ThresholdTrainer(const TrainingSpec& spec, std::size_t components);

  /// \param window  Window::index, larger than the last one of this recording.
  /// \param s       n scores; NaN where the component showed nothing that it could be trained on. Where a
  ///                score does not exceed floors()[i], any number between it and the floor does as well.
  void add(std::int64_t window, std::span<const double> s);

  /// The next window is of another recording.
  void end_recording();

  /// The component is another from now on: what was learnt of it is no more.
  void forget(std::size_t component);

  /// T* so far: n. Smaller scores teach nothing new (Comparer::scores_above).
  [[nodiscard]] std::span<const double> floors() const { return floors_; }
  /// n: 1 of those that showed anything.
  [[nodiscard]] std::span<const std::uint8_t> trained() const { return trained_; }

  /// The state (base/state_codec.h), for one of the same spec and as many components.
  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    state(self.started_, self.last_window_);
    for (auto* const row : {&self.floors_, &self.recent_, &self.largest_}) {
      const std::size_t size = row->size();
      state.numbers(*row, size);
      state.require(row->size() == size);
    }
    state.numbers(self.trained_, self.components_);
    state.numbers(self.shown_, self.components_);
    state.require(self.trained_.size() == self.components_ && self.shown_.size() == self.components_);
  }

  /// What all recordings that have ended say.
  [[nodiscard]] TrainedGroup result() const;

 private:
  void add_filtered(std::size_t component);

  TrainingSpec spec_;
  std::size_t components_;
  std::size_t span_;                   ///< Windows looked at together: 2k-1, or 1.
  std::vector<double> floors_;         ///< n
  std::vector<std::uint8_t> trained_;  ///< n
  // Of the recording at hand:
  std::vector<double> recent_;        ///< n x span: scores, NaN where there is none.
  std::vector<double> largest_;       ///< n
  std::vector<std::uint32_t> shown_;  ///< n: windows with a score.
  std::vector<double> scratch_;
  bool started_ = false;
  std::int64_t last_window_ = 0;
};

/// Takes one window of a fault-free recording: scores only what can still teach something, and nothing of
/// components without a sample in the window, whose absence is no behaviour to get used to.
void learn(ThresholdTrainer& trainer, Comparer& comparer, SortedWindow& window);

/// The g-th multiple of `step` as a person would write it: exact decimals for steps like 0.1, whose binary
/// approximation would show after some additions.
[[nodiscard]] double grid_value(std::uint64_t g, double step);

/// The smallest multiple of `step`, at least one of it, that `value` does not exceed. Requires step > 0.
[[nodiscard]] double round_up_to_grid(double value, double step);

}  // namespace laggard::detect
