#include "derive/cell_plan.h"

#include <algorithm>

namespace laggard::derive {

namespace {

/// Follows the samples' times as DeviceMeter does, one by one.
class Planner {
 public:
  Planner(const MeterPhase& from, Grid grid, Duration interval)
      : grid_(grid), interval_(interval), now_(from) {
    plan_.from = from;
    if (from.open) plan_.cells.push_back({.cell = from.cell, .seconds = from.seconds});
  }

  [[nodiscard]] bool add(std::uint32_t sample, WallTime time) {
    // After a reboot there is no sample to compare with, but the clock may still have gone back.
    if (!plan_.cells.empty() && grid_.cell(time) < plan_.cells.back().cell) return false;
    if (now_.primed) {
      if (time <= now_.last_time) return false;
      const Duration passed = time - now_.last_time;
      if (grid_.cell(time) == now_.level_cell + 2 && passed <= scaled(interval_, kCarryIntervals))
        return false;
      if (passed <= scaled(interval_, kMaxGapIntervals)) {
        if (sample == 0) plan_.first_usable = true;
        spread(sample, now_.last_time, time);
      }
    }
    CellPlan::Cell& cell = enter(grid_.cell(time));
    if (cell.first_sample == cell.end_sample) cell.first_sample = sample;
    cell.end_sample = sample + 1;
    now_.primed = true;
    now_.last_time = time;
    now_.level_cell = cell.cell;
    return true;
  }

  [[nodiscard]] CellPlan finish() {
    const CellPlan::Cell& last = plan_.cells.back();
    now_.open = true;
    now_.cell = last.cell;
    now_.seconds = last.seconds;
    plan_.to = now_;
    plan_.regular = true;
    for (std::size_t k = 1; k + 1 < plan_.cells.size(); ++k) {
      const CellPlan::Cell& cell = plan_.cells[k];
      plan_.regular = plan_.regular && cell.cell == plan_.cells[1].cell + static_cast<std::int64_t>(k - 1) &&
                      cell.seconds >= kLeastCoverage * grid_.seconds() && cell.first_piece < cell.end_piece &&
                      cell.first_sample < cell.end_sample;
    }
    return std::move(plan_);
  }

 private:
  CellPlan::Cell& enter(std::int64_t cell) {
    if (plan_.cells.empty() || plan_.cells.back().cell != cell) {
      const auto piece = static_cast<std::uint32_t>(plan_.pieces.size());
      plan_.cells.push_back({.cell = cell, .first_piece = piece, .end_piece = piece});
    }
    return plan_.cells.back();
  }

  void spread(std::uint32_t sample, WallTime from, WallTime to) {
    const double total = to_seconds(to - from);
    for (std::int64_t g = grid_.cell(from + Duration{1}); grid_.begin(g) < to; ++g) {
      CellPlan::Cell& cell = enter(g);
      const double part = to_seconds(std::min(to, grid_.end(g)) - std::max(from, grid_.begin(g)));
      cell.seconds += part;
      plan_.pieces.push_back({sample, part / total});
      cell.end_piece = static_cast<std::uint32_t>(plan_.pieces.size());
    }
  }

  Grid grid_;
  Duration interval_;
  MeterPhase now_;
  CellPlan plan_;
};

}  // namespace

std::optional<CellPlan> CellPlan::make(const MeterPhase& from, Grid grid, Duration interval,
                                       std::span<const WallTime> times) {
  if (times.empty()) return std::nullopt;
  Planner planner(from, grid, interval);
  for (std::size_t t = 0; t < times.size(); ++t) {
    if (!planner.add(static_cast<std::uint32_t>(t), times[t])) return std::nullopt;
  }
  return planner.finish();
}

}  // namespace laggard::derive
