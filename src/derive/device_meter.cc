#include "derive/device_meter.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/missing.h"

namespace laggard::derive {

DeviceMeter::DeviceMeter(Grid grid, Duration interval)
    : grid_(grid), interval_(interval), max_gap_(scaled(interval, kMaxGapIntervals)) {
  places_.fill(kUnknown);
}

const DeviceMeter::Counter* DeviceMeter::find(Slot slot) const {
  const std::uint8_t place = places_[static_cast<std::size_t>(slot)];
  return place == kUnknown ? nullptr : &counters_[place];
}

DeviceMeter::Counter& DeviceMeter::counter(Slot slot) {
  std::uint8_t& place = places_[static_cast<std::size_t>(slot)];
  if (place == kUnknown) {
    place = static_cast<std::uint8_t>(counters_.size());
    if (counters_.size() == counters_.capacity()) counters_.reserve(counters_.size() + 4);
    counters_.emplace_back().slot = slot;
  }
  return counters_[place];
}

void DeviceMeter::open(std::int64_t cell, std::vector<FinishedCell>& out) {
  if (open_ && cell == cell_) return;
  close(out);
  open_ = true;
  cell_ = cell;
  seconds_ = 0;
  for (Counter& counter : counters_) {
    const bool carried = carry_ == cell && !std::isnan(counter.level) && counter.seen == last_time_;
    counter.value = carried ? counter.level : kMissing;
    counter.gauge_samples = carried ? 1 : 0;
  }
}

void DeviceMeter::close(std::vector<FinishedCell>& out) {
  if (!open_) return;
  open_ = false;
  // Increases over less than half of a cell say too little about it; gauges are moments and always count.
  const bool covered = seconds_ >= kLeastCoverage * grid_.seconds();
  bool anything = false;
  CellValues values;
  values.seconds = seconds_;
  for (const Counter& counter : counters_) {
    if (counter.gauge_samples == 0 && !covered) continue;
    values[counter.slot] = counter.gauge_samples > 0 ? counter.value / counter.gauge_samples : counter.value;
    anything = anything || !std::isnan(values[counter.slot]);
  }
  if (anything) out.push_back({cell_, values});
}

void DeviceMeter::settle(WallTime sure, std::vector<FinishedCell>& out) {
  if (open_ && grid_.end(cell_) <= sure) close(out);
}

void DeviceMeter::finish(std::vector<FinishedCell>& out) { close(out); }

void DeviceMeter::spread(TimeSpan interval, const Increases& increase, std::vector<FinishedCell>& out) {
  const auto [from, to] = interval;
  const double total = to_seconds(to - from);
  for (std::int64_t cell = grid_.cell(from + Duration{1}); grid_.begin(cell) < to; ++cell) {
    open(cell, out);
    const double part = to_seconds(std::min(to, grid_.end(cell)) - std::max(from, grid_.begin(cell)));
    const double share = part / total;
    seconds_ += part;
    for (Counter& counter : counters_) {
      const double grown = increase[static_cast<std::size_t>(counter.slot)];
      if (std::isnan(grown)) continue;
      const double before = std::isnan(counter.value) ? 0 : counter.value;
      counter.value = before + grown * share;
    }
  }
}

void DeviceMeter::take_levels(const std::vector<Column>& columns, std::size_t t, WallTime time,
                              std::vector<FinishedCell>& out) {
  const std::int64_t cell = grid_.cell(time);
  if (carry_ && !(open_ && cell_ >= *carry_)) open(*carry_, out);
  carry_.reset();
  level_cell_ = cell;
  open(cell, out);
  for (const Column& column : columns) {
    if (column.form == CounterForm::kCumulative) continue;
    Counter& gauge = counter(column.slot);
    if (!column.cells.present(t)) {
      gauge.level = kMissing;
      continue;
    }
    const std::uint64_t bits = column.cells.value(t);
    gauge.seen = time;
    gauge.level =
        column.form == CounterForm::kComputedRate ? std::bit_cast<double>(bits) : static_cast<double>(bits);
    if (std::isnan(gauge.level)) continue;
    gauge.value = (gauge.gauge_samples == 0 ? 0 : gauge.value) + gauge.level;
    ++gauge.gauge_samples;
  }
}

/// False when nothing is known of any counter.
bool DeviceMeter::take_increases(const std::vector<Column>& columns, std::size_t t, WallTime time,
                                 bool usable, Increases& increase) {
  increase.fill(kMissing);
  bool any = false;
  bool reset = false;
  for (const Column& column : columns) {
    if (column.form != CounterForm::kCumulative) continue;
    Counter& mine = counter(column.slot);
    const bool present = column.cells.present(t);
    if (usable && present && mine.has_last && time - mine.seen <= max_gap_) {
      const auto grown = counter_increase(mine.last, column.cells.value(t));
      any = any || grown;
      reset = reset || !grown;
      if (grown) increase[static_cast<std::size_t>(column.slot)] = static_cast<double>(*grown);
    }
    mine.has_last = present;
    mine.last = column.cells.value(t);
    if (present) mine.seen = time;
  }
  return any && !reset;
}

void DeviceMeter::advance(const std::vector<Column>& columns, std::size_t t, WallTime time,
                          std::vector<FinishedCell>& out) {
  const bool usable = primed_ && time > last_time_ && time - last_time_ <= max_gap_;
  const bool jumped = primed_ && grid_.cell(time) == level_cell_ + 2 && time > last_time_ &&
                      time - last_time_ <= scaled(interval_, kCarryIntervals);
  if (jumped) carry_ = level_cell_ + 1;
  Increases increase;
  if (take_increases(columns, t, time, usable, increase)) spread({last_time_, time}, increase, out);
  take_levels(columns, t, time, out);
  primed_ = true;
  last_time_ = time;
}

void DeviceMeter::add(const SampleTable& table, std::size_t d, std::vector<FinishedCell>& out) {
  std::vector<Column> columns;
  for (std::size_t c = 0; c < table.counters().size(); ++c) {
    const TableCounter& counter = table.counters()[c];
    if (const auto slot = slot_of(table.kind(), counter.name)) {
      columns.push_back({*slot, counter.form, table.view(c, d)});
    }
  }
  begin_boot(table.boot());
  for (std::size_t t = 0; t < table.times().size(); ++t) {
    const bool sampled = std::any_of(columns.begin(), columns.end(),
                                     [t](const Column& column) { return column.cells.present(t); });
    if (!sampled) continue;
    if (primed_ && table.times()[t] < last_time_) close(out);
    advance(columns, t, table.times()[t], out);
  }
}

void DeviceMeter::begin_boot(const std::string& boot) {
  if (boot == boot_) return;
  primed_ = primed_ && (boot.empty() || boot_.empty());
  boot_ = boot;
}

MeterPhase DeviceMeter::phase() const {
  MeterPhase phase;
  phase.primed = primed_;
  if (primed_) phase.last_time = last_time_;
  phase.open = open_;
  if (open_) phase.cell = cell_;
  if (open_) phase.seconds = seconds_;
  if (primed_) phase.level_cell = level_cell_;
  return phase;
}

bool DeviceMeter::can_follow(std::span<const WholeColumn> columns, const CellPlan& plan) const {
  bool counts = false;
  for (const WholeColumn& column : columns) {
    if (column.form == CounterForm::kComputedRate) return false;
    if (column.form != CounterForm::kCumulative || !column.present) continue;
    counts = true;
    const Counter* const mine = find(column.slot);
    const bool known = mine != nullptr && mine->has_last && mine->seen == last_time_;
    if (plan.first_usable && (!known || column.first() < mine->last)) return false;
    if (!column.constant && !std::is_sorted(column.values.begin(), column.values.end())) return false;
  }
  return counts && !carry_;
}

double DeviceMeter::increase_at(const WholeColumn& column, const CellPlan& plan, std::uint32_t t) const {
  if (t > 0) return column.constant ? 0 : static_cast<double>(column.values[t] - column.values[t - 1]);
  const Counter* const mine = find(column.slot);
  return plan.first_usable && mine != nullptr ? static_cast<double>(column.first() - mine->last) : 0;
}

/// Adds to the open cell what the plan says of it.
void DeviceMeter::apply(std::span<const WholeColumn> columns, const CellPlan& plan,
                        const CellPlan::Cell& cell) {
  seconds_ = cell.seconds;
  for (const WholeColumn& column : columns) {
    if (!column.present) continue;
    Counter& mine = counter(column.slot);
    double& value = mine.value;
    if (column.form == CounterForm::kCumulative) {
      for (std::uint32_t p = cell.first_piece; p < cell.end_piece; ++p) {
        const double before = std::isnan(value) ? 0 : value;
        value = before + increase_at(column, plan, plan.pieces[p].sample) * plan.pieces[p].share;
      }
      continue;
    }
    for (std::uint32_t t = cell.first_sample; t < cell.end_sample; ++t) {
      const auto now = static_cast<double>(column.constant ? column.value : column.values[t]);
      value = (mine.gauge_samples == 0 ? 0 : value) + now;
      ++mine.gauge_samples;
    }
  }
}

/// What a counter grew by in the inner cells of the plan.
void DeviceMeter::spread_counter(const WholeColumn& column, const CellPlan& plan,
                                 std::vector<double>& increase, std::vector<double>& out) const {
  const std::size_t samples = plan.cells.back().end_sample;
  increase.resize(samples);
  for (std::uint32_t t = 0; t < samples; ++t) increase[t] = increase_at(column, plan, t);
  const double least = kLeastCoverage * grid_.seconds();
  for (std::size_t k = 0; k < out.size(); ++k) {
    const CellPlan::Cell& cell = plan.cells[k + 1];
    double value = 0;
    for (std::uint32_t p = cell.first_piece; p < cell.end_piece; ++p) {
      value += increase[plan.pieces[p].sample] * plan.pieces[p].share;
    }
    const bool known = cell.first_piece < cell.end_piece && cell.seconds >= least;
    out[k] = known ? value : kMissing;
  }
}

namespace {

/// Means of a gauge in the inner cells of the plan; 0 / 0 is the NaN of missing.
void average_level(const WholeColumn& column, const CellPlan& plan, std::vector<double>& out) {
  for (std::size_t k = 0; k < out.size(); ++k) {
    const CellPlan::Cell& cell = plan.cells[k + 1];
    double sum = 0;
    for (std::uint32_t t = cell.first_sample; t < cell.end_sample; ++t) {
      sum += static_cast<double>(column.constant ? column.value : column.values[t]);
    }
    out[k] = sum / static_cast<double>(cell.end_sample - cell.first_sample);
  }
}

}  // namespace

void DeviceMeter::fill_block(std::span<const WholeColumn> columns, const CellPlan& plan,
                             CellBlock& block) const {
  block.values.resize(std::max(block.values.size(), columns.size()));
  for (const WholeColumn& column : columns) {
    if (!column.present) continue;
    std::vector<double>& out = block.values[block.slots.size()];
    block.slots.push_back(column.slot);
    out.resize(plan.cells.size() - 2);
    if (column.form == CounterForm::kCumulative) {
      spread_counter(column, plan, block.increase, out);
    } else {
      average_level(column, plan, out);
    }
  }
}

bool DeviceMeter::add_planned(std::span<const WholeColumn> columns, const CellPlan& plan, CellBlock& block,
                              std::vector<FinishedCell>& ends) {
  if (!can_follow(columns, plan)) return false;
  if (!plan.from.open) open(plan.cells.front().cell, ends);
  apply(columns, plan, plan.cells.front());
  if (plan.cells.size() > 1) {
    block.idle = is_idle(columns, plan);
    block.slots.clear();
    if (block.idle) {
      for (const WholeColumn& column : columns) {
        if (column.present) block.slots.push_back(column.slot);
      }
    } else if (plan.cells.size() > 2) {
      fill_block(columns, plan, block);
    }
    open(plan.cells.back().cell, ends);
    apply(columns, plan, plan.cells.back());
  }
  take_last(columns, plan);
  return true;
}

void DeviceMeter::take_last(std::span<const WholeColumn> columns, const CellPlan& plan) {
  for (const WholeColumn& column : columns) {
    Counter& mine = counter(column.slot);
    if (column.present) mine.seen = plan.to.last_time;
    if (column.form != CounterForm::kCumulative) {
      mine.level = column.present ? static_cast<double>(column.last()) : kMissing;
      continue;
    }
    mine.has_last = column.present;
    mine.last = column.present ? column.last() : 0;
  }
  primed_ = true;
  last_time_ = plan.to.last_time;
  level_cell_ = plan.to.level_cell;
}

/// No counter grew and no gauge was anything but zero, in the inner cells.
bool DeviceMeter::is_idle(std::span<const WholeColumn> columns, const CellPlan& plan) const {
  return plan.regular && std::all_of(columns.begin(), columns.end(), [&](const WholeColumn& column) {
           if (!column.present) return true;
           if (!column.constant) return false;
           return column.form == CounterForm::kCumulative ? increase_at(column, plan, 0) == 0
                                                          : column.value == 0;
         });
}

}  // namespace laggard::derive
