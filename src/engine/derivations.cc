#include "engine/derivations.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "model/syscall_event.h"

namespace laggard::engine {

namespace {

/// As Inventory::devices are sorted.
bool comes_before(const DeviceInfo& a, const DeviceInfo& b) {
  if (a.host != b.host) return natural_less(a.host, b.host);
  if (a.kind != b.kind) return a.kind < b.kind;
  return natural_less(a.device, b.device);
}

/// Where a row asks for them.
std::optional<derive::Transfers> transfers_for(std::span<const derive::Derivation> table, Duration cadence,
                                               const TransferRules& rules) {
  if (std::ranges::none_of(table, &derive::Derivation::is_of_transfers)) return std::nullopt;
  return derive::Transfers(rules, cadence);
}

SeriesKey key_of(const DeviceInfo& info) { return {info.host, info.kind, info.device}; }

}  // namespace

Derivations::Derivations(const DerivedDevices& devices, Duration cadence)
    : transfers_(transfers_for(devices.table, cadence, devices.transfers)) {
  for (std::size_t r = 0; r < devices.of_row.size(); ++r) {
    meters_.emplace_back(devices.table[r], cadence).count_only(devices.of_row[r]);
  }
}

void Derivations::add(const EventTable& table) {
  if (transfers_ && table.kind() == kSyscallKind) transfers_->add(table);
  for (derive::EventMeter& meter : meters_) {
    if (meter.kind() == table.kind()) meter.add(table);
  }
}

std::vector<SampleTable> Derivations::take(WallTime until) {
  if (transfers_) {
    for (const EventTable& table : transfers_->take(until)) add(table);
  }
  std::vector<SampleTable> all;
  for (derive::EventMeter& meter : meters_) std::ranges::move(meter.take(until), std::back_inserter(all));
  return all;
}

std::set<SeriesKey> Derivations::unknown_devices() const {
  std::set<SeriesKey> all;
  for (const derive::EventMeter& meter : meters_) {
    all.insert(meter.unknown_devices().begin(), meter.unknown_devices().end());
  }
  return all;
}

std::vector<std::string> Derivations::notes() const {
  std::vector<std::string> notes;
  if (transfers_) {
    for (const auto& [host, unused] : transfers_->unused()) {
      std::ranges::move(unused.sentences(kSyscallKind, host, "counted"), std::back_inserter(notes));
    }
  }
  for (const derive::EventMeter& meter : meters_) {
    for (const auto& [host, unused] : meter.unused()) {
      std::ranges::move(unused.sentences(meter.kind(), host, "counted"), std::back_inserter(notes));
    }
  }
  return notes;
}

DerivationSurvey::DerivationSurvey(std::span<const derive::Derivation> table, Duration cadence,
                                   TransferRules transfers)
    : table_(table),
      cadence_(cadence),
      rules_(std::move(transfers)),
      transfers_(transfers_for(table, cadence, rules_)) {
  for (const derive::Derivation& row : table) rows_.push_back({{row, cadence}, {}});
}

void DerivationSurvey::take_transfers(WallTime until) {
  for (const EventTable& table : transfers_->take(until)) {
    for (Row& row : rows_) {
      if (row.meter.kind() == table.kind()) row.meter.add(table);
    }
  }
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    if (!table_[r].is_of_transfers) continue;
    for (const SampleTable& samples : rows_[r].meter.take(until)) take(samples, rows_[r]);
  }
}

void DerivationSurvey::add(const EventTable& table) {
  if (transfers_ && table.kind() == kSyscallKind && !table.empty()) {
    take_transfers(table.extent().from);
    transfers_->add(table);
  }
  for (Row& row : rows_) {
    if (row.meter.kind() != table.kind() || table.empty()) continue;
    for (const SampleTable& samples : row.meter.take(table.extent().from)) take(samples, row);
    row.meter.add(table);
  }
}

void DerivationSurvey::take(const SampleTable& table, Row& row) {
  for (std::size_t d = 0; d < table.devices().size(); ++d) {
    Found& found = row.found[{table.host(), table.kind(), table.devices()[d]}];
    DeviceInfo& info = found.info;
    for (std::size_t t = 0; t < table.times().size(); ++t) {
      if (!table.present(0, d, t)) continue;
      std::vector<std::uint64_t> now;
      for (std::size_t c = 0; c < table.counters().size(); ++c) now.push_back(table.bits(c, d, t));
      if (info.samples == 0) info.first = table.times()[t];
      info.last = table.times()[t];
      ++info.samples;
      if (now != found.last) ++info.active_samples;
      found.last = std::move(now);
    }
    info.counters = table.counters();
  }
}

DerivedDevices DerivationSurvey::finish(Inventory& inventory) {
  DerivedDevices devices{
      .table = table_, .of_row = std::vector<std::vector<SeriesKey>>(table_.size()), .transfers = rules_};
  if (transfers_) take_transfers(WallTime::max());
  std::set<SeriesKey> recorded;
  for (const DeviceInfo& device : inventory.devices) recorded.insert(key_of(device));
  std::set<SeriesKey> derived;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (const SampleTable& samples : rows_[r].meter.take_all()) take(samples, rows_[r]);
    for (auto& [key, found] : rows_[r].found) {
      if (!derived.insert(key).second) continue;
      if (recorded.contains(key)) {
        inventory.notices.push_back(
            fmt::format("{}/{} is recorded; what events ({}) tell of it is not derived", key.host, key.device,
                        table_[r].events));
        continue;
      }
      devices.of_row[r].push_back(key);
      found.info.host = key.host;
      found.info.kind = key.kind;
      found.info.device = key.device;
      found.info.interval = cadence_;
      found.info.facts = {{"derived", std::string(table_[r].events)}};
      inventory.devices.push_back(std::move(found.info));
    }
  }
  std::ranges::stable_sort(inventory.devices, comes_before);
  return devices;
}

std::vector<std::string> derived_kinds(std::span<const derive::Derivation> table) {
  std::set<std::string> kinds;
  for (const derive::Derivation& row : table) kinds.emplace(row.recorded());
  return {kinds.begin(), kinds.end()};
}

}  // namespace laggard::engine
