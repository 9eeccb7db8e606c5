#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "derive/cell_plan.h"
#include "derive/formula.h"
#include "model/grid.h"
#include "model/sample_table.h"

namespace laggard::derive {

/// One cell of one device, ready to become metrics.
struct FinishedCell {
  std::int64_t cell = 0;
  CellValues values;
};

/// One counter of one device over the samples of a table, present at all of them or at none.
struct WholeColumn {
  Slot slot = kNoSlot;
  CounterForm form = CounterForm::kCumulative;
  bool present = true;
  bool constant = false;
  std::uint64_t value = 0;                ///< Of a constant.
  std::span<const std::uint64_t> values;  ///< Of what is not constant.

  [[nodiscard]] std::uint64_t first() const { return constant ? value : values.front(); }
  [[nodiscard]] std::uint64_t last() const { return constant ? value : values.back(); }
};

/// What a device did in the cells of a plan, without the first and the last.
struct CellBlock {
  bool idle = false;  ///< Nothing: every counter stood still and every gauge was zero. No numbers then.
  std::vector<Slot> slots;
  std::vector<std::vector<double>> values;  ///< Per slot, per cell from plan.cells[1] on.
  std::vector<double> increase;             ///< Scratch.

  /// Whether anything is known of what was done in plan.cells[k].
  [[nodiscard]] bool tells(std::size_t k) const {
    for (std::size_t s = 0; s < slots.size(); ++s) {
      if (!std::isnan(values[s][k - 1])) return true;
    }
    return false;
  }
};

/// Turns the samples of one device into grid cells.
///
/// A cumulative counter is taken to grow evenly between two samples (linear interpolation), so that the
/// increase over any stretch of cells is the difference of the counter at its ends: down-sampling is exact (T
/// §3.3) and a recorder's jitter neither loses nor doubles work. Two samples further apart than `max_gap`, a
/// counter that went backwards and a change of boot leave the cells between them missing. A gauge or computed
/// rate counts in the cell of its sample, and in the next one too when that one got none for less than 1.5
/// intervals.
///
/// A sample that is not later than the one before (a clock stepped back, a repeated record) starts anew from
/// there: its cells are emitted again, and whoever collects them keeps the later ones (T §5.9).
class DeviceMeter {
 public:
  DeviceMeter(Grid grid, Duration interval);

  /// Adds the samples of device `d` of `table`; appends the cells that they complete, in order of recording.
  void add(const SampleTable& table, std::size_t d, std::vector<FinishedCell>& out);

  /// The same by a plan, which is many times faster and gives the same bits. The cells that the plan's ends
  /// share with other tables go to `ends`, those between them to `block`. False, and nothing is done, when
  /// the samples need to be looked at one by one. \param columns  of all counters that have a slot.  \param
  /// plan  made from phase().
  [[nodiscard]] bool add_planned(std::span<const WholeColumn> columns, const CellPlan& plan, CellBlock& block,
                                 std::vector<FinishedCell>& ends);

  /// Call before add_planned: a change of boot.
  void begin_boot(const std::string& boot);
  [[nodiscard]] MeterPhase phase() const;

  /// The cell that waits for more, once nothing recorded after `sure` + 2.5 intervals can change it: if it
  /// ended by then.
  void settle(WallTime sure, std::vector<FinishedCell>& out);

  /// At the end of the recording: the last cell, if at least half of it was covered.
  void finish(std::vector<FinishedCell>& out);

 private:
  struct Column {
    Slot slot;
    CounterForm form;
    SampleTable::View cells;
  };

  [[nodiscard]] bool can_follow(std::span<const WholeColumn> columns, const CellPlan& plan) const;
  [[nodiscard]] bool is_idle(std::span<const WholeColumn> columns, const CellPlan& plan) const;
  void take_last(std::span<const WholeColumn> columns, const CellPlan& plan);
  void apply(std::span<const WholeColumn> columns, const CellPlan& plan, const CellPlan::Cell& cell);
  void fill_block(std::span<const WholeColumn> columns, const CellPlan& plan, CellBlock& block) const;
  void spread_counter(const WholeColumn& column, const CellPlan& plan, std::vector<double>& increase,
                      std::vector<double>& out) const;
  /// What the counter grew by up to sample t.
  [[nodiscard]] double increase_at(const WholeColumn& column, const CellPlan& plan, std::uint32_t t) const;
  void advance(const std::vector<Column>& columns, std::size_t t, WallTime time,
               std::vector<FinishedCell>& out);
  /// What every counter grew by in an interval; NaN where it is not known.
  using Increases = std::array<double, kSlots>;
  bool take_increases(const std::vector<Column>& columns, std::size_t t, WallTime time, bool usable,
                      Increases& increase);
  void take_levels(const std::vector<Column>& columns, std::size_t t, WallTime time,
                   std::vector<FinishedCell>& out);
  void spread(TimeSpan interval, const Increases& increase, std::vector<FinishedCell>& out);
  void open(std::int64_t cell, std::vector<FinishedCell>& out);
  void close(std::vector<FinishedCell>& out);

  Grid grid_;
  Duration interval_;
  Duration max_gap_;

  /// What is known of a counter. Recordings hold a few of all that metrics could read.
  struct Counter {
    Slot slot = kNoSlot;
    bool has_last = false;            ///< It was there at the last sample.
    std::uint32_t gauge_samples = 0;  ///< In the open cell.
    std::uint64_t last = 0;
    /// When it was sampled last: tables may lack a counter for a while, and what it grew by in that time is
    /// not the work of the interval in which it comes back.
    WallTime seen;
    double value = kMissing;  ///< In the open cell.
    double level = kMissing;  ///< Latest gauge or computed rate, to carry over a jittered cell.
  };
  static constexpr std::uint8_t kUnknown = 0xff;
  [[nodiscard]] const Counter* find(Slot slot) const;
  Counter& counter(Slot slot);

  bool primed_ = false;  ///< There is a sample to take differences from.
  bool open_ = false;
  WallTime last_time_;
  std::string boot_;
  std::int64_t cell_ = 0;
  double seconds_ = 0;                       ///< Of the open cell, covered by increases.
  std::int64_t level_cell_ = 0;              ///< Where the levels were sampled.
  std::optional<std::int64_t> carry_;        ///< The cell that they are carried into.
  std::array<std::uint8_t, kSlots> places_;  ///< By slot, in `counters_`.
  std::vector<Counter> counters_;            ///< Those that were seen.
};

}  // namespace laggard::derive
