#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/time.h"
#include "detect/peer/compare/window.h"

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

/// Turns the samples of one metric of one peer group into windows, in one pass.
///
/// Takes one column, a value per component, per grid step; smooths it; keeps the last WinSize columns; and
/// hands out every window that is complete. Windows start at multiples of `window_step` since the epoch, so
/// that whoever looks at the same samples sees the same windows, live or later. A window that starts before
/// the first column is not handed out, nor is one in which no component has a sample: where nobody recorded,
/// there is nothing to compare.
///
/// Memory: n (2 WinSize + smoothing) numbers whatever the length of the recording.
class GroupStream {
 public:
  using Sink = std::function<void(const Window&)>;

  /// Requires interval > 0, size >= 1, shift >= 1, smoothing >= 1, at least one component.
  GroupStream(const WindowSpec& spec, std::size_t components);

  /// Takes the samples at `t` and hands the windows that they complete to `sink`. Grid steps between the last
  /// call's and this one count as missing for all.
  /// Requires `t` on the grid (a multiple of the interval) and later than the last one.
  /// \param column  one raw value per component; NaN is missing.
  void push(WallTime t, std::span<const double> column, const Sink& sink);

  [[nodiscard]] const WindowSpec& spec() const { return spec_; }
  [[nodiscard]] std::size_t components() const { return components_; }
  /// The next grid step that is expected; nothing before the first column.
  [[nodiscard]] bool started() const { return started_; }
  [[nodiscard]] WallTime next_time() const { return from_unix_ns(next_ * spec_.interval.count()); }

 private:
  void append(std::span<const double> column, const Sink& sink);
  void skip(std::int64_t steps, const Sink& sink);
  void hand_out(const Sink& sink);
  [[nodiscard]] double* grow();
  /// Looks at the column of step `next_`; false when no component has a sample.
  [[nodiscard]] bool note_activity(std::span<const double> smoothed);

  WindowSpec spec_;
  std::size_t components_;
  bool started_ = false;
  std::int64_t first_ = 0;  ///< Grid step of the first column.
  std::int64_t next_ = 0;   ///< Grid step of the next column.
  Smoother smoother_;
  std::vector<double> columns_;          ///< Up to 2 size columns; the last `size` of them are the window.
  std::size_t stored_ = 0;               ///< Columns in use.
  std::size_t data_left_ = 0;            ///< Steps until the last column with a sample leaves the window.
  std::vector<std::int64_t> last_busy_;  ///< Per component the latest step at which it was not 0 ...
  std::vector<std::int64_t> last_hole_;  ///< ... and at which it was missing.
  std::vector<std::uint32_t> busy_;      ///< Of the window that is handed out.
  std::vector<std::uint32_t> holed_;
};

}  // namespace laggard::detect
