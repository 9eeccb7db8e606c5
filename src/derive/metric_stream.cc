#include "derive/metric_stream.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "base/error.h"

namespace laggard::derive {

namespace {

constexpr double kLeastPackets = 100;
constexpr double kAssumedPacketsPerSecond = 500;
/// A device's cell is finished by a sample at most one allowed gap later.
constexpr double kLatenessIntervals = 2.5;
/// Connections that were silent for this many cells have closed.
constexpr std::int64_t kDeadCells = 600;

bool over_connections(const TrackSpec& track) { return track.metric->kind == DeviceKind::kTcp; }
bool over_packets(const TrackSpec& track) {
  return track.metric->formula.shape == FormulaShape::kPacketShare;
}

bool is_total(const TrackSpec& track) { return track.metric->formula.shape == FormulaShape::kTotal; }

/// Cells that are handed out in one go: their rows stay in the cache.
constexpr std::int64_t kRunCells = 32;

/// The counters of one device that metrics need. False when one of them is there at some of the samples only.
bool whole_columns(const SampleTable& table, std::size_t d, std::vector<WholeColumn>& columns) {
  columns.clear();
  for (std::size_t c = 0; c < table.counters().size(); ++c) {
    const auto slot = slot_of(table.kind(), table.counters()[c].name);
    if (!slot) continue;
    WholeColumn& column = columns.emplace_back();
    column.slot = *slot;
    column.form = table.counters()[c].form;
    if (const auto uniform = table.uniform(c, d)) {
      column.constant = true;
      column.value = *uniform;
      continue;
    }
    const std::span<const std::uint8_t> present = table.presence(c, d);
    const std::span<const std::uint64_t> values = table.series(c, d);
    column.present = present.front() != 0;
    if (std::memchr(present.data(), column.present ? 0 : 1, present.size()) != nullptr) return false;
    column.values = values;
    column.value = values.front();
    column.constant =
        std::memcmp(values.data(), values.data() + 1, (values.size() - 1) * sizeof values[0]) == 0;
  }
  return true;
}

}  // namespace

MetricStream::MetricStream(Grid grid, Duration interval, std::vector<TrackSpec> tracks, Router router)
    : grid_(grid), interval_(interval), tracks_(std::move(tracks)), router_(std::move(router)) {
  pending_.resize(tracks_.size());
  for (std::size_t t = 0; t < tracks_.size(); ++t) {
    formulas_.emplace_back(*tracks_[t].metric);
    tracks_of_group_.resize(
        std::max<std::size_t>(tracks_of_group_.size(), tracks_[t].group + std::size_t{1}));
    tracks_of_group_[tracks_[t].group].push_back(t);
    const std::size_t members = tracks_[t].members;
    LAGGARD_CHECK(!over_packets(tracks_[t]) || tracks_[t].hosts.size() == members);
    pending_[t].sum.resize(members);
    pending_[t].recorded_by.resize(members);
    if (over_connections(tracks_[t])) pending_[t].count.resize(members);
    if (over_packets(tracks_[t])) pending_[t].packets.resize(members);
  }
}

MetricStream::Device& MetricStream::device(const SampleTable& table, std::size_t d) {
  std::string key = table.host();
  key += '\0';
  key += static_cast<char>('0' + static_cast<int>(table.kind()));
  key += table.devices()[d];
  const auto found = devices_.find(key);
  if (found != devices_.end()) return found->second;
  Device fresh{DeviceMeter(grid_, interval_), router_(table.host(), table.kind(), table.devices()[d]), {}};
  fresh.kind = table.kind();
  if (!table.times().empty()) fresh.born = grid_.cell(table.times().front());
  fresh.since_known = sure_from_ == std::numeric_limits<std::int64_t>::min();
  find_targets(fresh, table);
  return devices_.emplace(std::move(key), std::move(fresh)).first->second;
}

/// Two hosts that tell of one member must not do so at the same time.
void MetricStream::claim(std::size_t track, std::size_t member, const std::string& host) {
  const auto next = static_cast<std::uint32_t>(host_numbers_.size() + 1);
  const std::uint32_t number = host_numbers_.try_emplace(host, next).first->second;
  std::uint32_t& recorded_by = pending_[track].recorded_by[member];
  if (recorded_by == 0) recorded_by = number;
  hosts_apart_ = hosts_apart_ && recorded_by == number;
}

bool MetricStream::is_target(std::size_t track, DeviceKind kind) const {
  return tracks_[track].metric->kind == kind && !over_connections(tracks_[track]);
}

template <class Use>
void MetricStream::each_target(const Device& device, const Use& use) const {
  for (const Route& route : device.routes) {
    if (route.group >= tracks_of_group_.size()) continue;
    for (const std::size_t track : tracks_of_group_[route.group]) {
      if (is_target(track, device.kind)) use(track, std::size_t{route.member});
    }
  }
}

void MetricStream::find_targets(Device& device, const SampleTable& table) {
  each_target(device, [&](std::size_t track, std::size_t member) {
    device.has_targets = true;
    claim(track, member, table.host());
  });
  if (table.kind() != DeviceKind::kNet || device.routes.empty()) return;
  for (std::size_t t = 0; t < tracks_.size(); ++t) {
    if (!over_packets(tracks_[t])) continue;
    const auto& hosts = tracks_[t].hosts;
    const auto member = std::find(hosts.begin(), hosts.end(), table.host());
    if (member == hosts.end()) continue;
    device.packets.push_back({t, static_cast<std::size_t>(member - hosts.begin())});
  }
}

void MetricStream::store_connection(std::size_t track, std::size_t member, const FinishedCell& finished,
                                    CellRuns& told) {
  const CellValues& values = finished.values;
  const Formula& formula = formulas_[track];
  const double value = formula(values, 0);
  if (std::isnan(value)) return;
  // A connection that sent nothing keeps the window of long ago, and who has nothing to do waits for nobody.
  const double weight = formula.weight(values);
  if (formula.is_silent(values, value) || weight == 0) return;
  if (is_late(finished.cell)) return;
  told.add(finished.cell, finished.cell + 1);
  const auto add = [&](CellSeries& series, double x) {
    const double before = series.get(finished.cell);
    series.set(finished.cell, (std::isnan(before) ? 0 : before) + x);
  };
  add(pending_[track].sum[member], value * weight);
  add(pending_[track].count[member], weight);
}

void MetricStream::store_packets(const Device& device, const FinishedCell& finished, CellRuns& told) {
  for (const PacketRoute& route : device.packets) {
    const Formula& formula = formulas_[route.track];
    const Slot side =
        tracks_[route.track].side == PacketSide::kSent ? formula.packets_sent() : formula.packets_received();
    const double rate = finished.values[side] / finished.values.seconds;
    if (std::isnan(rate) || is_late(finished.cell)) continue;
    told.add(finished.cell, finished.cell + 1);
    CellSeries& packets = pending_[route.track].packets[route.member];
    const double before = packets.get(finished.cell);
    packets.set(finished.cell, (std::isnan(before) ? 0 : before) + rate);
  }
}

void MetricStream::note_stall(Device& device, std::int64_t cell, const CellValues& values) const {
  const bool stalled = is_stalled(values);
  // What happened in cells that are missing is not known: the wait starts anew after them.
  const bool still = device.stalled && cell == device.last_cell + 1;
  // At first all that is known is that a request was there at the last sample; it may have just come.
  const double first = std::max(0.0, values.seconds - to_seconds(interval_));
  const double longer = still ? device.stalled_seconds + values.seconds : first;
  device.stalled = stalled;
  device.stalled_seconds = stalled ? longer : 0;
  if (device.since_known) return;
  const bool after_gap = cell > sure_from_ && cell != device.last_cell + 1;
  device.since_known = cell >= sure_from_ && (!stalled || after_gap);
  if (!device.since_known) device.unsure_to = std::max(device.unsure_to, cell);
}

bool MetricStream::is_unsure_at(std::int64_t cell) const {
  return std::ranges::any_of(devices_, [cell](const auto& entry) { return entry.second.unsure_to >= cell; });
}

void MetricStream::store(Device& device, DeviceKind kind, const FinishedCell& finished, CellRuns& told) {
  // A clock that was stepped back tells cells again. Values are replaced, but what went into a sum stays.
  const bool told_before = finished.cell <= device.last_cell;
  if (kind == DeviceKind::kDisk) note_stall(device, finished.cell, finished.values);
  device.last_cell = std::max(device.last_cell, finished.cell);
  if (device.has_targets && !is_late(finished.cell)) {
    told.add(finished.cell, finished.cell + 1);
    each_target(device, [&](std::size_t track, std::size_t member) {
      pending_[track].sum[member].set(finished.cell,
                                      formulas_[track](finished.values, device.stalled_seconds));
    });
  }
  if (told_before) return;
  for (const Route& route : device.routes) {
    if (kind != DeviceKind::kTcp || route.group >= tracks_of_group_.size()) continue;
    for (const std::size_t track : tracks_of_group_[route.group]) {
      if (over_connections(tracks_[track])) store_connection(track, route.member, finished, told);
    }
  }
  store_packets(device, finished, told);
}

/// Cells [first, end) of the plan, which follow each other.
void MetricStream::store_run(Device& device, const CellPlan& plan, std::size_t first, std::size_t end,
                             Scratch& scratch) {
  const CellBlock& block = scratch.block;
  std::vector<const Formula*> formulas;
  each_target(device, [&](std::size_t track, std::size_t) { formulas.push_back(&formulas_[track]); });
  scratch.values.resize(std::max(scratch.values.size(), formulas.size()));
  for (std::size_t i = 0; i < formulas.size(); ++i) scratch.values[i].resize(end - first);
  CellValues values;
  for (std::size_t k = first; k < end; ++k) {
    values.seconds = plan.cells[k].seconds;
    for (std::size_t s = 0; s < block.slots.size(); ++s) values[block.slots[s]] = block.values[s][k - 1];
    note_stall(device, plan.cells[k].cell, values);
    device.last_cell = plan.cells[k].cell;
    for (std::size_t i = 0; i < formulas.size(); ++i) {
      scratch.values[i][k - first] = (*formulas[i])(values, device.stalled_seconds);
    }
  }
  scratch.told.add(plan.cells[first].cell, plan.cells[end - 1].cell + 1);
  std::size_t i = 0;
  each_target(device, [&](std::size_t track, std::size_t member) {
    pending_[track].sum[member].set_all(plan.cells[first].cell, scratch.values[i++]);
  });
}

void MetricStream::store_block(Device& device, const CellPlan& plan, Scratch& scratch) {
  const std::size_t last = plan.cells.size() - 1;
  if (!device.has_targets) return;
  if (!scratch.block.idle) {
    const CellBlock& block = scratch.block;
    for (std::size_t first = 1, end = 1; first < last; first = end) {
      end = first + 1;
      if (!block.tells(first)) continue;
      while (end < last && plan.cells[end].cell == plan.cells[end - 1].cell + 1 && block.tells(end)) ++end;
      store_run(device, plan, first, end, scratch);
    }
    return;
  }
  CellValues nothing;
  nothing.seconds = plan.cells[1].seconds;
  for (const Slot slot : scratch.block.slots) nothing[slot] = 0;
  device.stalled = false;
  device.stalled_seconds = 0;
  device.last_cell = plan.cells[last - 1].cell;
  device.since_known = device.since_known || device.last_cell >= sure_from_;
  scratch.told.add(plan.cells[1].cell, device.last_cell + 1);
  each_target(device, [&](std::size_t track, std::size_t member) {
    // Zero or, where the metric's counters are not there, missing.
    if (std::isnan(formulas_[track](nothing, 0))) return;
    pending_[track].sum[member].set_zeros(plan.cells[1].cell, device.last_cell + 1);
  });
}

/// False when the device's samples have to be looked at one by one.
bool MetricStream::add_planned(Device& device, const SampleTable& table, std::size_t d, PlanCache& cache,
                               Scratch& scratch) {
  if (table.kind() != DeviceKind::kDisk || !whole_columns(table, d, scratch.columns)) return false;
  device.meter.begin_boot(table.boot());
  const MeterPhase phase = device.meter.phase();
  if (cache.from != phase) cache = {phase, CellPlan::make(phase, grid_, interval_, table.times())};
  const std::optional<CellPlan>& plan = cache.plan;
  if (!plan) return false;
  const std::vector<CellPlan::Cell>& cells = plan->cells;
  const bool inner = cells.size() > 2;
  // Cells that were told before, or handed out, are a matter for `store`.
  if (inner &&
      (cells[1].cell <= device.last_cell || is_late(cells[1].cell) || cells[0].cell >= cells[1].cell)) {
    return false;
  }
  scratch.finished.clear();
  if (!device.meter.add_planned(scratch.columns, *plan, scratch.block, scratch.finished)) return false;
  const auto store_end = [&](std::size_t i) {
    if (i < scratch.finished.size()) store(device, table.kind(), scratch.finished[i], scratch.told);
  };
  store_end(0);
  if (inner) store_block(device, *plan, scratch);
  return true;
}

std::vector<MetricStream::Device*> MetricStream::devices_of(const SampleTable& table) {
  std::vector<Device*> devices;
  for (std::size_t d = 0; d < table.devices().size(); ++d) devices.push_back(&device(table, d));
  return devices;
}

void MetricStream::add_table(const SampleTable& table, std::span<Device* const> devices, Scratch& scratch) {
  PlanCache cache;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    Device& target = *devices[d];
    if (target.routes.empty() || add_planned(target, table, d, cache, scratch)) continue;
    scratch.finished.clear();
    target.meter.add(table, d, scratch.finished);
    for (const FinishedCell& cell : scratch.finished) store(target, table.kind(), cell, scratch.told);
  }
}

void MetricStream::merge(Scratch& scratch) {
  for (const CellRuns::Run& run : scratch.told.runs()) told_.add(run.begin, run.end);
  scratch.told = {};
}

void MetricStream::add(const SampleTable& table) {
  if (table.times().empty()) return;
  add_table(table, devices_of(table), scratch_);
  merge(scratch_);
}

void MetricStream::add(std::span<const SampleTable> tables, Workers* workers) {
  std::vector<HostTables> hosts;
  for (const SampleTable& table : tables) {
    if (table.times().empty()) continue;
    const auto same = std::ranges::find_if(
        hosts, [&](const HostTables& host) { return host.tables.front()->host() == table.host(); });
    HostTables& host = same == hosts.end() ? hosts.emplace_back() : *same;
    host.tables.push_back(&table);
    host.devices.push_back(devices_of(table));
  }
  // Connections of several hosts add up to one number, in the order of tables.
  const bool disks =
      std::ranges::all_of(tables, [](const SampleTable& t) { return t.kind() == DeviceKind::kDisk; });
  if (!disks || !hosts_apart_) {
    for (const SampleTable& table : tables) add(table);
    return;
  }
  run_all(workers, hosts.size(), [&](std::size_t h) {
    for (std::size_t i = 0; i < hosts[h].tables.size(); ++i) {
      add_table(*hosts[h].tables[i], hosts[h].devices[i], hosts[h].scratch);
    }
  });
  for (HostTables& host : hosts) merge(host.scratch);
}

CellRuns::Run MetricStream::front(std::int64_t most) const {
  if (told_.empty()) return {};
  CellRuns::Run run = told_.front();
  run.end = std::min({run.end, ready_to_, run.begin + most});
  return run.begin < run.end ? run : CellRuns::Run{};
}

void MetricStream::take(std::size_t track, const CellRuns::Run& run, std::span<double> rows) {
  PendingTrack& p = pending_[track];
  const std::size_t n = p.sum.size();
  const auto cells = static_cast<std::size_t>(run.end - run.begin);
  LAGGARD_CHECK(rows.size() == cells * n);
  std::fill(rows.begin(), rows.end(), 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    p.sum[i].copy_to_zeros(run, rows.data() + i, n);
    // While it is in the cache.
    p.sum[i].drop_before(run.end);
  }
  if (!over_connections(tracks_[track])) return;
  for (std::size_t k = 0; k < cells; ++k) {
    const std::int64_t cell = run.begin + static_cast<std::int64_t>(k);
    for (std::size_t i = 0; i < n; ++i) {
      double& x = rows[k * n + i];
      if (!over_packets(tracks_[track])) {
        if (!is_total(tracks_[track])) x /= p.count[i].get(cell);  // NaN / NaN stays NaN
        continue;
      }
      const double packets = p.packets[i].get(cell);
      x = 100 * x / std::max(std::isnan(packets) ? kAssumedPacketsPerSecond : packets, kLeastPackets);
    }
  }
  for (std::vector<CellSeries>* plane : {&p.count, &p.packets}) {
    for (CellSeries& series : *plane) series.drop_before(run.end);
  }
}

void MetricStream::drop(const CellRuns::Run& run) {
  told_.drop_before(run.end);
  started_ = true;
  next_ = run.end;
  forget_dead_connections();
}

void MetricStream::emit_ready(const Consumer& consumer) {
  for (CellRuns::Run run = front(kRunCells); run.begin < run.end; run = front(kRunCells)) {
    const auto cells = static_cast<std::size_t>(run.end - run.begin);
    std::size_t members = 0;
    for (const PendingTrack& track : pending_) members += track.sum.size();
    rows_.resize(cells * members);
    std::size_t at = 0;
    for (std::size_t t = 0; t < tracks_.size(); ++t) {
      const std::size_t size = cells * pending_[t].sum.size();
      take(t, run, std::span(rows_).subspan(at, size));
      at += size;
    }
    std::vector<std::span<const double>> columns(tracks_.size());
    for (std::size_t k = 0; k < cells; ++k) {
      at = 0;
      for (std::size_t t = 0; t < tracks_.size(); ++t) {
        const std::size_t n = pending_[t].sum.size();
        columns[t] = std::span(rows_).subspan(at + k * n, n);
        at += cells * n;
      }
      consumer({run.begin + static_cast<std::int64_t>(k), columns});
    }
    drop(run);
  }
}

void MetricStream::forget_dead_connections() {
  if (next_ < forgotten_at_ + kDeadCells) return;
  forgotten_at_ = next_;
  std::erase_if(devices_, [this](const auto& entry) {
    const Device& device = entry.second;
    return device.kind == DeviceKind::kTcp && std::max(device.born, device.last_cell) + kDeadCells < next_;
  });
}

/// Takes out of the meters the cells that can no longer change: the last one before a device fell silent
/// waits there for a sample that may never come. What adds up does so in the order of names: sums must not
/// depend on where a hash table has whom.
void MetricStream::settle(const std::function<void(DeviceMeter&, std::vector<FinishedCell>&)>& take) {
  settled_cells_.clear();
  for (auto& [key, target] : devices_) {
    scratch_.finished.clear();
    take(target.meter, scratch_.finished);
    const bool alone = target.kind == DeviceKind::kDisk && hosts_apart_;
    for (const FinishedCell& cell : scratch_.finished) {
      if (alone) {
        store(target, DeviceKind::kDisk, cell, told_);
      } else {
        settled_cells_.push_back({&key, &target, cell});
      }
    }
  }
  std::ranges::stable_sort(settled_cells_, {}, [](const SettledCell& s) { return std::string_view(*s.key); });
  for (const SettledCell& s : settled_cells_) store(*s.device, s.device->kind, s.cell, told_);
}

std::int64_t MetricStream::final_at(WallTime watermark) const {
  return grid_.cell(watermark - scaled(interval_, kLatenessIntervals));
}

void MetricStream::settle_before(WallTime watermark) {
  const WallTime sure = watermark - scaled(interval_, kLatenessIntervals);
  // Tables of many hosts begin together: the devices need looking at once for all of them.
  if (grid_.cell(sure) == settled_) return;
  settled_ = grid_.cell(sure);
  settle([sure](DeviceMeter& meter, std::vector<FinishedCell>& out) { meter.settle(sure, out); });
  ready_to_ = grid_.cell(sure) + (grid_.end(grid_.cell(sure)) <= sure ? 1 : 0);
}

void MetricStream::settle_all() {
  settle([](DeviceMeter& meter, std::vector<FinishedCell>& out) { meter.finish(out); });
  ready_to_ = std::numeric_limits<std::int64_t>::max();
}

void MetricStream::advance(WallTime watermark, const Consumer& consumer) {
  settle_before(watermark);
  emit_ready(consumer);
}

void MetricStream::finish(const Consumer& consumer) {
  settle_all();
  emit_ready(consumer);
}

}  // namespace laggard::derive
