#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/workers.h"
#include "detect/peer/judge/parameters.h"
#include "detect/peer/skew/host_circles.h"
#include "detect/peer/skew/lag_correlation.h"
#include "detect/peer/skew/lag_verdict.h"
#include "model/cell_series.h"
#include "model/diagnosis.h"
#include "model/grid.h"

namespace laggard::detect {

/// Which way series of throughputs move from one cell to the next: m = 1 up, -1 down, 0 when
/// |x(c) - x(c-1)| is at most `least` times its mean so far, or when one of the two is missing.
///
/// Differences, because a level that wanders slowly correlates with itself at every lag. Signs, because a
/// burst says when it came and not how much more than others it is: one that is a hundred times larger must
/// not weigh more than a hundred others.
class Moves {
 public:
  Moves(std::size_t series, double least) : least_(least), series_(series) {}

  /// One cell: a number per series, NaN where missing. \param out  as many.
  void take(std::span<const double> values, std::span<std::int8_t> out);

  /// The next cell does not follow the last one.
  void forget_last();

  /// Its state (base/state_codec.h), for as many series.
  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    state.columns(self.series_, &Series::known, &Series::last, &Series::sum, &Series::count);
  }

 private:
  struct Series {
    bool known = false;
    double last = 0;
    double sum = 0;  ///< Of |differences|.
    double count = 0;
  };
  double least_;
  std::vector<Series> series_;
};

/// Finds hosts whose clocks are off, from the cells that are compared anyway: hosts of one circle serve the
/// same load, so that what they move rises and falls at the same time. What one host does `s` cells later
/// than all the others, again and again, is its clock.
class ClockWatch {
 public:
  /// `circles` and `workers` outlive this. \param grid  of the cells.
  ClockWatch(const HostCircles& circles, Grid grid, const ClockOptions& options, Workers* workers);

  /// Runs in the order of time. \param loads  a row per cell, as HostLoads has them.
  void take(const CellRuns::Run& run, std::span<const double> loads);

  /// Nothing will be taken any more.
  void finish();

  [[nodiscard]] Clocks clocks() const;

  /// Its state before `finish` (base/state_codec.h), for one of the same hosts and options.
  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    state(self.next_);
    state.each(self.circles_);
  }

 private:
  struct Circle {
    Circle(std::size_t hosts, const ClockOptions& options);
    template <class State, class Self>
    static void exchange(State& state, Self& self) {
      state(self.moves, self.correlation);
    }
    Moves moves;
    LagCorrelation correlation;
  };

  void add_clock(const std::string& host, const LagBlocks& blocks, Clocks& clocks) const;
  [[nodiscard]] ClockSkew skew_of(const LagBlocks& blocks, const LagStretch& stretch) const;

  const HostCircles& hosts_;
  Grid grid_;
  ClockOptions options_;
  Workers* workers_;
  std::vector<Circle> circles_;  ///< As in `hosts_`; none when clocks are not looked at.
  std::int64_t next_ = 0;        ///< The cell that follows the last one.
  std::vector<std::int8_t> moves_;
};

}  // namespace laggard::detect
