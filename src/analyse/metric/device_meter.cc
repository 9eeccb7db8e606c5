#include "analyse/metric/device_meter.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace laggard::analyse {

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
/// A late sample is still a sample; two lost ones are a gap.
constexpr double kMaxGapIntervals = 2.5;
constexpr double kCarryIntervals = 1.5;
constexpr double kLeastCoverage = 0.5;

Duration scaled(Duration d, double factor) {
  return Duration{static_cast<std::int64_t>(static_cast<double>(d.count()) * factor)};
}

}  // namespace

DeviceMeter::DeviceMeter(Grid grid, Duration interval)
    : grid_(grid), interval_(interval), max_gap_(scaled(interval, kMaxGapIntervals)) {
  level_.fill(kMissing);
}

void DeviceMeter::open(std::int64_t cell, std::vector<FinishedCell>& out) {
  if (open_ && cell == cell_) return;
  close(out);
  open_ = true;
  cell_ = cell;
  values_ = CellValues{};
  level_samples_.fill(0);
  if (carry_ != cell) return;
  for (std::size_t s = 0; s < kSlots; ++s) {
    if (std::isnan(level_[s])) continue;
    values_.values[s] = level_[s];
    level_samples_[s] = 1;
  }
}

void DeviceMeter::close(std::vector<FinishedCell>& out) {
  if (!open_) return;
  open_ = false;
  // Increases over less than half of a cell say too little about it; levels are moments and always count.
  const bool covered = values_.seconds >= kLeastCoverage * grid_.seconds();
  bool anything = false;
  for (std::size_t s = 0; s < kSlots; ++s) {
    if (level_samples_[s] > 0) {
      values_.values[s] /= level_samples_[s];
    } else if (!covered) {
      values_.values[s] = kMissing;
    }
    anything = anything || !std::isnan(values_.values[s]);
  }
  if (anything) out.push_back({cell_, values_});
}

void DeviceMeter::settle(WallTime sure, std::vector<FinishedCell>& out) {
  if (open_ && grid_.end(cell_) <= sure) close(out);
}

void DeviceMeter::finish(std::vector<FinishedCell>& out) { close(out); }

void DeviceMeter::spread(WallTime from, WallTime to, std::vector<FinishedCell>& out) {
  const double total = to_seconds(to - from);
  for (std::int64_t cell = grid_.cell(from + Duration{1}); grid_.begin(cell) < to; ++cell) {
    open(cell, out);
    const double part = to_seconds(std::min(to, grid_.end(cell)) - std::max(from, grid_.begin(cell)));
    const double share = part / total;
    values_.seconds += part;
    for (std::size_t s = 0; s < kSlots; ++s) {
      if (std::isnan(increase_[s])) continue;
      const double before = std::isnan(values_.values[s]) ? 0 : values_.values[s];
      values_.values[s] = before + increase_[s] * share;
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
    const auto s = static_cast<std::size_t>(column.slot);
    if (column.present[t] == 0) {
      level_[s] = kMissing;
      continue;
    }
    const std::uint64_t bits = column.values[t];
    level_[s] = column.form == CounterForm::kGauge ? std::bit_cast<double>(bits) : static_cast<double>(bits);
    if (std::isnan(level_[s])) continue;
    values_.values[s] = (level_samples_[s] == 0 ? 0 : values_.values[s]) + level_[s];
    ++level_samples_[s];
  }
}

/// Leaves what every counter grew by in `increase_`; false when nothing is known of any.
bool DeviceMeter::take_increases(const std::vector<Column>& columns, std::size_t t, bool usable) {
  increase_.fill(kMissing);
  bool any = false;
  bool reset = false;
  for (const Column& column : columns) {
    if (column.form != CounterForm::kCumulative) continue;
    const auto s = static_cast<std::size_t>(column.slot);
    const bool present = column.present[t] != 0;
    if (usable && present && has_last_[s]) {
      const auto grown = counter_increase(last_[s], column.values[t]);
      any = any || grown;
      reset = reset || !grown;
      if (grown) increase_[s] = static_cast<double>(*grown);
    }
    has_last_[s] = present;
    last_[s] = column.values[t];
  }
  return any && !reset;
}

void DeviceMeter::advance(const std::vector<Column>& columns, std::size_t t, WallTime time,
                          std::vector<FinishedCell>& out) {
  const bool usable = primed_ && time > last_time_ && time - last_time_ <= max_gap_;
  const bool jumped = primed_ && grid_.cell(time) == level_cell_ + 2 && time > last_time_ &&
                      time - last_time_ <= scaled(interval_, kCarryIntervals);
  if (jumped) carry_ = level_cell_ + 1;
  if (take_increases(columns, t, usable)) spread(last_time_, time, out);
  take_levels(columns, t, time, out);
  primed_ = true;
  last_time_ = time;
}

void DeviceMeter::add(const SampleTable& table, std::size_t d, std::vector<FinishedCell>& out) {
  std::vector<Column> columns;
  for (std::size_t c = 0; c < table.counters().size(); ++c) {
    const TableCounter& counter = table.counters()[c];
    if (const auto slot = slot_of(table.kind(), counter.name)) {
      columns.push_back({*slot, counter.form, table.series(c, d), table.presence(c, d)});
    }
  }
  if (table.boot() != boot_) {
    primed_ = primed_ && (table.boot().empty() || boot_.empty());
    boot_ = table.boot();
  }
  for (std::size_t t = 0; t < table.times().size(); ++t) {
    const bool sampled = std::any_of(columns.begin(), columns.end(),
                                     [t](const Column& column) { return column.present[t] != 0; });
    if (!sampled) continue;
    if (primed_ && table.times()[t] < last_time_) close(out);
    advance(columns, t, table.times()[t], out);
  }
}

}  // namespace laggard::analyse
