#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/time.h"
#include "detect/peer/compare/tile_history.h"
#include "detect/peer/compare/window.h"

namespace laggard::detect {

/// Turns the samples of one metric of one peer group into windows, in one pass.
///
/// Takes one column, a value per component, per grid step; smooths it; keeps the last WinSize columns; and
/// hands out every window that is complete. Windows start at multiples of `window_step` since the epoch, so
/// that whoever looks at the same samples sees the same windows, live or later. A window that starts before
/// the first column is not handed out, nor is one in which no component has a sample: where nobody recorded,
/// there is nothing to compare.
///
/// Memory: WinSize + smoothing numbers for each component that did something of late (TileHistory), whatever
/// the length of the recording.
class GroupStream {
 public:
  using Sink = std::function<void(const Window&)>;

  /// Requires interval > 0, size >= 1, shift >= 1, smoothing >= 1, at least one component.
  GroupStream(const WindowSpec& spec, std::size_t components);

  /// Takes the samples at `t` and hands the windows that they complete to `sink`. Grid steps between the last
  /// call's and this one count as missing for all.
  /// Requires `t` on the grid (a multiple of the interval) and later than the last one.
  /// \param column  one raw value per component; NaN is missing.
  /// \param memory  where windows are written; each until the next one.
  void push(WallTime t, std::span<const double> column, WindowMemory& memory, const Sink& sink);

  [[nodiscard]] const WindowSpec& spec() const { return spec_; }
  [[nodiscard]] std::size_t components() const { return components_; }
  /// The next grid step that is expected; nothing before the first column.
  [[nodiscard]] bool started() const { return started_; }
  [[nodiscard]] WallTime next_time() const { return from_unix_ns(next_ * spec_.interval.count()); }
  /// Numbers in memory, for tests.
  [[nodiscard]] std::size_t held() const { return history_.held(); }

 private:
  void append(std::span<const double> column, WindowMemory& memory, const Sink& sink);
  void skip(std::int64_t steps, WindowMemory& memory, const Sink& sink);
  void hand_out(WindowMemory& memory, const Sink& sink) const;

  WindowSpec spec_;
  std::size_t components_;
  bool started_ = false;
  std::int64_t first_ = 0;  ///< Grid step of the first column.
  std::int64_t next_ = 0;   ///< Grid step of the next column.
  TileHistory history_;
  std::size_t data_left_ = 0;  ///< Steps until the last column with a sample leaves the window.
};

}  // namespace laggard::detect
