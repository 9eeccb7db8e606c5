#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace laggard::detect {

/// What the trailing average gives at a step whose own sample is missing.
enum class MissingNow : unsigned char {
  kStaysMissing,    ///< Missing stays missing, so that absence is seen at once and never painted over.
  kAverageOfOthers  ///< The mean of the span's other samples: for metrics that are only there now and then.
};

/// Trailing moving average of n components in step: at each step the mean of the samples that are present
/// among the last `span` steps, this one included (T §3.3: 15 samples; F §10.1: 5).
/// At the start the span is shorter. Summed anew, oldest first, at each step: a running sum would drag the
/// rounding errors of a huge sample along for ever. Components that were 0 all the time cost next to nothing.
class Smoother {
 public:
  Smoother(std::size_t span, std::size_t components, MissingNow missing = MissingNow::kStaysMissing);

  /// \param raw  n samples; what is not finite is missing.
  /// \param out  n averages; NaN where missing.
  void push(std::span<const double> raw, std::span<double> out);

  /// Forgets all samples, as after a gap.
  void clear();

 private:
  /// Where the column that was pushed `age` steps ago begins.
  [[nodiscard]] std::size_t column(std::size_t age) const;
  /// Makes `raw` the newest column.
  void take(std::span<const double> raw);
  std::size_t span_;
  std::size_t components_;
  MissingNow missing_;
  std::vector<double> ring_;           ///< span x n; 0 where missing.
  std::vector<std::uint8_t> present_;  ///< span x n; 0 in slots that are empty.
  std::vector<std::uint8_t> there_;    ///< Of the newest column: scratch.
  std::vector<double> count_;          ///< How many of the span's samples are present.
  std::size_t newest_ = 0;             ///< Slot of the newest column.
  std::size_t filled_ = 0;
  std::uint64_t step_ = 0;  ///< Columns taken so far.
  /// For every few components the step of the latest column in which one of them was not 0, or missing.
  std::vector<std::uint64_t> last_busy_;
  std::vector<const double*> rows_;
};

}  // namespace laggard::detect
