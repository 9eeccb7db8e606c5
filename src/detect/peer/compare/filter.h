#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace laggard::detect {

/// What one window says about one component, after direction and other gates of the caller.
struct WindowVerdict {
  bool judged = true;      ///< False where the window says nothing (no data, too few peers, excluded).
  bool anomalous = false;  ///< s > T
  double score = 0;  ///< s / T; how far, for the severity. 0 when in the direction that does not matter.
  /// s / T again, where the component lies below its peers, be that sick or not; 0 elsewhere, and where the
  /// metric has no two sides.
  double below = 0;
};

/// What the windows so far say about one component.
struct ComponentState {
  std::uint64_t history = 0;  ///< Bit 0 is the latest window, 1 where anomalous; the past 2k-1 of them.
  std::uint64_t above = 0;    ///< The same windows, 1 where it leaned to that side of its peers,
  std::uint64_t below = 0;    ///< or to this one (FilterSpec::leaning).
  bool faulty = false;        ///< Anomalous, on one side, in at least k of the past 2k-1 windows.
  std::int64_t persistence = 0;
  double severity = 0;        ///< The larger of the two sides'.
  double severity_above = 0;  ///< Gathered by windows above the peers,
  double severity_below = 0;  ///< and below them.
  bool operator==(const ComponentState&) const = default;
};

struct FilterSpec {
  std::size_t k = 3;           ///< 1..32
  double least_severity = -1;  ///< Bounds of one window's contribution g (inference.md §1).
  double most_severity = 6;
  double leaning = 0.25;  ///< s / T from which a window speaks against those on the other side.
  bool operator==(const FilterSpec&) const = default;
};

/// From anomalous windows to faulty and persistent components. Per component and window:
///   faulty       when anomalous in at least k of the past 2k-1 windows (F §10.1, T §3.3), where a window
///                that leans to the other side takes one back (ours: what does its work later than its
///                peers, as when write-back starts out of step, is above them and below them in turn and
///                not sick; without two sides it is the papers' rule);
///   persistence  P <- P + 1 when faulty, else max(0, P - 1) (T §3.4, counted after the filter as in T §5.5);
///   severity     S <- max(0, S + g), g = clip(log2(s / T), -1, 6): the same sum with how much for how
///                often, so that short-and-severe and long-and-mild both rise;
///                each side gathers its own, and loses what the other one gains.
/// A window that says nothing takes its place among the past 2k-1 as not anomalous and leaves persistence and
/// severity as they are. So do windows that never came, as in a gap of the recording.
class FaultFilter {
 public:
  FaultFilter(const FilterSpec& spec, std::size_t components);

  /// \param window    Window::index; larger than the last one.
  /// \param verdicts  n.
  /// \return          n states after this window.
  std::span<const ComponentState> update(std::int64_t window, std::span<const WindowVerdict> verdicts);

  [[nodiscard]] std::span<const ComponentState> states() const { return states_; }

  /// The operator says that it has been repaired: all that counted against it is forgotten.
  void repaired(std::size_t component);

  /// Its state (base/state_codec.h), for one of the same spec and components.
  template <class State, class Self>
  static void exchange(State& state, Self& self);
  bool operator==(const FaultFilter&) const = default;

 private:
  void add_severity(ComponentState& state, const WindowVerdict& verdict) const;

  FilterSpec spec_;
  bool started_ = false;
  std::int64_t last_window_ = 0;
  std::vector<ComponentState> states_;
};

}  // namespace laggard::detect
