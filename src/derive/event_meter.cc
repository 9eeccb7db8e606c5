#include "derive/event_meter.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace laggard::derive {

namespace {

/// More than that no event measures, and a double would not hold it exactly.
constexpr std::uint64_t kMostAmount = std::uint64_t{1} << 53;

std::uint64_t amount_of(AttributeForm form, std::uint64_t bits) {
  if (form == AttributeForm::kInteger) {
    return std::bit_cast<std::int64_t>(bits) > 0 ? std::min(bits, kMostAmount) : 0;
  }
  const double value = form == AttributeForm::kReal ? std::bit_cast<double>(bits) : 0;
  if (!(value > 0)) return 0;
  return value < static_cast<double>(kMostAmount) ? static_cast<std::uint64_t>(std::llround(value))
                                                  : kMostAmount;
}

bool touches(const TimeSpan& loss, WallTime from, WallTime to) { return loss.from < to && loss.to >= from; }

/// Of many losses the latest ones become one: what lies between them is given up too.
void add_loss(std::vector<TimeSpan>& losses, const TimeSpan& loss) {
  constexpr std::size_t kMostLosses = 1024;
  const bool joined = !losses.empty() && (touches(losses.back(), loss.from, loss.to + Duration{1}) ||
                                          losses.size() >= kMostLosses);
  if (!joined) losses.push_back(loss);
  losses.back() = {std::min(losses.back().from, loss.from), std::max(losses.back().to, loss.to)};
}

}  // namespace

/// What the events of one table add to the counters.
class EventMeter::Amounts {
 public:
  Amounts(const Derivation& row, const EventTable& table) : row_(row), table_(table) {
    for (const DerivedCounter& counter : row.counters) {
      whats_.push_back(table.words().find(counter.what));
      const auto column = std::ranges::find(table.attributes(), counter.attribute, &AttributeColumn::key);
      const bool there = counter.counted == Counted::kAttribute && column != table.attributes().end();
      columns_.push_back(there ? &*column : nullptr);
    }
  }

  [[nodiscard]] std::uint64_t of(std::size_t counter, std::size_t event) const {
    const DerivedCounter& spec = row_.counters[counter];
    if (!spec.what.empty() && whats_[counter] != table_.whats()[event]) return 0;
    const std::int64_t took = table_.durations()[event];
    const bool timed = took != EventTable::kNoDuration;
    if (spec.at_most && (!timed || took > spec.at_most->count())) return 0;
    switch (spec.counted) {
      case Counted::kEvents:
        return 1;
      case Counted::kDurations:
        return timed ? rounded(took, spec.unit.count()) : 0;
      case Counted::kAttribute: {
        const auto bits = columns_[counter] == nullptr ? std::nullopt : columns_[counter]->bits(event);
        return bits ? amount_of(columns_[counter]->form, *bits) : 0;
      }
    }
    return 0;
  }

 private:
  static std::uint64_t rounded(std::int64_t took, std::int64_t unit) {
    return static_cast<std::uint64_t>(took / unit + (took % unit >= unit - unit / 2 ? 1 : 0));
  }

  const Derivation& row_;
  const EventTable& table_;
  std::vector<std::optional<Word>> whats_;
  std::vector<const AttributeColumn*> columns_;
};

EventMeter::EventMeter(const Derivation& row, Duration cadence) : row_(row), cadence_(cadence) {
  LAGGARD_CHECK(cadence > Duration::zero() && !row.counters.empty());
  for (const DerivedCounter& counter : row.counters) {
    const CounterSpec* known = find_counter(row.kind, counter.name);
    LAGGARD_CHECK(known == nullptr || known->form == CounterForm::kCumulative);
    LAGGARD_CHECK(counter.unit > Duration::zero());
  }
}

void EventMeter::count_only(std::span<const SeriesKey> devices) {
  LAGGARD_CHECK(hosts_.empty());
  any_device_ = false;
  for (const SeriesKey& device : devices) {
    if (device.kind == row_.kind) add_device(hosts_[device.host], device.device);
  }
}

std::uint32_t EventMeter::add_device(Host& host, const std::string& name) {
  const auto [at, added] = host.devices.try_emplace(name, static_cast<std::uint32_t>(host.totals.size()));
  if (!added) return at->second;
  host.totals.emplace_back(any_device_ ? 0 : row_.counters.size(), 0);
  ++devices_;
  return at->second;
}

/// Nothing for devices that are not counted.
std::optional<std::uint32_t> EventMeter::device_of(Host& host, const std::string& host_name,
                                                   std::string_view name) {
  if (name.empty()) return std::nullopt;
  if (const auto known = host.devices.find(name); known != host.devices.end()) return known->second;
  if (any_device_ && devices_ < kMostDevices) return add_device(host, std::string(name));
  if (unknown_.size() < kMostDevices) unknown_.insert({host_name, row_.kind, std::string(name)});
  return std::nullopt;
}

/// For want of room: what was not counted breaks the count.
void EventMeter::drop(Host& host, const std::string& name, WallTime time) {
  unused_[name].add(&Unused::no_room, 1, {time, time});
  add_loss(host.losses, {time, time});
}

EventMeter::Interval* EventMeter::interval_of(Host& host, const std::string& name, WallTime time) {
  const WallTime end = floor_to(time, cadence_) + cadence_;
  if (end <= taken_) {
    unused_[name].add(&Unused::late, 1, {time, time});
    return nullptr;
  }
  if (const auto known = host.waiting.find(end); known != host.waiting.end()) return &known->second;
  if (waiting_ >= kMostWaiting) {
    drop(host, name, time);
    return nullptr;
  }
  ++waiting_;
  return &host.waiting[end];
}

std::vector<std::uint64_t>* EventMeter::sums_of(Interval& interval, std::uint32_t device) {
  if (const auto known = interval.find(device); known != interval.end()) return &known->second;
  if (waiting_ >= kMostWaiting) return nullptr;
  ++waiting_;
  return &interval.try_emplace(device, row_.counters.size(), 0).first->second;
}

void EventMeter::add(const EventTable& table) {
  const std::string& name = table.host();
  Host& host = hosts_[name];
  for (const Loss& loss : table.losses()) add_loss(host.losses, {loss.from, loss.to});
  const Amounts amounts(row_, table);
  const std::optional<Word> mark = row_.mark.empty() ? std::nullopt : table.words().find(row_.mark);
  std::map<Word, std::optional<std::uint32_t>> devices;
  for (std::size_t e = 0; e < table.size(); ++e) {
    Interval* const interval = interval_of(host, name, table.times()[e]);
    if (interval == nullptr || mark == table.whats()[e]) continue;
    const Word subject = table.subjects()[e];
    const auto [device, unseen] = devices.try_emplace(subject);
    if (unseen) {
      device->second = device_of(host, name, subject == kNoWord ? row_.device : table.words().text(subject));
    }
    if (!device->second) continue;
    if (auto* const sums = sums_of(*interval, *device->second)) {
      for (std::size_t c = 0; c < sums->size(); ++c) (*sums)[c] += amounts.of(c, e);
    } else {
      drop(host, name, table.times()[e]);
    }
  }
}

/// The devices that have begun by the last of the samples, in the order of their names.
SampleTable EventMeter::table_of(const std::string& name, const Host& host, const Rows& rows) const {
  std::vector<TableCounter> counters;
  for (const DerivedCounter& counter : row_.counters) {
    counters.push_back({std::string(counter.name), CounterForm::kCumulative});
  }
  std::map<std::string, std::uint32_t> begun;
  for (const auto& [device, d] : host.devices) {
    if (!rows.totals.back()[d].empty()) begun.emplace(device, d);
  }
  std::vector<std::string> devices;
  devices.reserve(begun.size());
  for (const auto& [device, d] : begun) devices.push_back(device);
  SampleTable table(name, row_.kind, std::move(counters), std::move(devices), rows.times);
  table.set_boot(std::to_string(host.boot));
  std::size_t to = 0;
  for (const auto& [device, from] : begun) {
    for (std::size_t t = 0; t < rows.times.size(); ++t) {
      const std::vector<std::uint64_t>& totals = rows.totals[t][from];
      for (std::size_t c = 0; c < totals.size(); ++c) table.set(c, to, t, totals[c]);
    }
    ++to;
  }
  return table;
}

/// The first that waits, into the totals. \return its end.
WallTime EventMeter::take_interval(Host& host) {
  const auto interval = host.waiting.extract(host.waiting.begin());
  for (const auto& [device, sums] : interval.mapped()) {
    std::vector<std::uint64_t>& totals = host.totals[device];
    totals.resize(sums.size(), 0);
    for (std::size_t c = 0; c < sums.size(); ++c) totals[c] += sums[c];
  }
  waiting_ -= interval.mapped().size() + 1;
  return interval.key();
}

void EventMeter::take_host(const std::string& name, Host& host, WallTime until,
                           std::vector<SampleTable>& out) {
  Rows rows;
  const auto flush = [&] {
    if (!rows.times.empty()) out.push_back(table_of(name, host, rows));
    if (!out.empty() && out.back().devices().empty()) out.pop_back();
    rows = {};
  };
  while (!host.waiting.empty() && host.waiting.begin()->first <= until) {
    const WallTime end = take_interval(host);
    const auto lost_since = [&](WallTime from) {
      return std::ranges::any_of(host.losses, [&](const TimeSpan& loss) { return touches(loss, from, end); });
    };
    if (lost_since(end - cadence_)) continue;
    if (lost_since(host.sampled)) {
      flush();
      ++host.boot;
    }
    host.sampled = end;
    rows.times.push_back(end);
    rows.totals.push_back(host.totals);
  }
  flush();
  std::erase_if(host.losses, [&](const TimeSpan& loss) { return loss.to < host.sampled; });
}

std::vector<SampleTable> EventMeter::take(WallTime until) {
  std::vector<SampleTable> out;
  if (until <= taken_) return out;
  for (auto& [name, host] : hosts_) take_host(name, host, until, out);
  taken_ = until;
  return out;
}

}  // namespace laggard::derive
