#include "archive/join.h"

#include <algorithm>

namespace laggard::archive {

std::vector<std::size_t> Union::add_devices(const std::vector<std::string>& devices) {
  std::vector<std::size_t> map(devices.size());
  for (std::size_t d = 0; d < devices.size(); ++d) {
    if (d < devices_.size() && devices_[d] == devices[d]) {  // Nearly always: the same devices every time.
      map[d] = d;
      continue;
    }
    const auto [entry, added] = device_index_.try_emplace(devices[d], devices_.size());
    if (added) devices_.push_back(devices[d]);
    map[d] = entry->second;
  }
  return map;
}

std::vector<std::size_t> Union::add_counters(const std::vector<TableCounter>& counters) {
  std::vector<std::size_t> map(counters.size());
  for (std::size_t c = 0; c < counters.size(); ++c) {
    const auto [entry, added] = counter_index_.try_emplace(counters[c].name, counters_.size());
    if (added) counters_.push_back(counters[c]);
    map[c] = entry->second;
  }
  return map;
}

SampleTable concatenate(std::span<const SampleTable> tables) {
  Union all;
  std::vector<WallTime> times;
  for (const SampleTable& table : tables) {
    all.add_devices(table.devices());
    all.add_counters(table.counters());
    times.insert(times.end(), table.times().begin(), table.times().end());
  }
  SampleTable joined{tables.front().host(), tables.front().kind(), all.counters(), all.devices(),
                     std::move(times)};
  joined.set_boot(tables.front().boot());
  std::size_t offset = 0;
  for (const SampleTable& table : tables) {
    const std::vector<std::size_t> devices = all.add_devices(table.devices());
    const std::vector<std::size_t> counters = all.add_counters(table.counters());
    for (std::size_t c = 0; c < counters.size(); ++c) {
      for (std::size_t d = 0; d < devices.size(); ++d) {
        joined.copy(table.view(c, d), {.begin = 0, .end = table.times().size(), .at = offset}, counters[c],
                    devices[d]);
      }
    }
    offset += table.times().size();
  }
  return joined;
}

SampleTable slice(const SampleTable& table, std::size_t begin, std::size_t end) {
  const auto first = static_cast<std::ptrdiff_t>(begin);
  const auto last = static_cast<std::ptrdiff_t>(end);
  SampleTable part{table.host(), table.kind(), table.counters(), table.devices(),
                   std::vector<WallTime>(table.times().begin() + first, table.times().begin() + last)};
  part.set_boot(table.boot());
  for (std::size_t c = 0; c < table.counters().size(); ++c) {
    for (std::size_t d = 0; d < table.devices().size(); ++d) {
      part.copy(table.view(c, d), {.begin = begin, .end = end, .at = 0}, c, d);
    }
  }
  return part;
}

namespace {

struct Kept {
  std::vector<std::size_t> counters;
  std::vector<std::size_t> devices;
  std::vector<std::size_t> times;
};

SampleTable pick(const SampleTable& table, const Kept& kept) {
  std::vector<TableCounter> counters;
  std::vector<std::string> devices;
  std::vector<WallTime> times;
  for (const std::size_t c : kept.counters) counters.push_back(table.counters()[c]);
  for (const std::size_t d : kept.devices) devices.push_back(table.devices()[d]);
  for (const std::size_t t : kept.times) times.push_back(table.times()[t]);
  SampleTable part{table.host(), table.kind(), std::move(counters), std::move(devices), std::move(times)};
  part.set_boot(table.boot());
  for (std::size_t c = 0; c < kept.counters.size(); ++c) {
    for (std::size_t d = 0; d < kept.devices.size(); ++d) {
      const SampleTable::View from = table.view(kept.counters[c], kept.devices[d]);
      const std::span<std::uint64_t> series = part.series(c, d);
      const std::span<std::uint8_t> presence = part.presence(c, d);
      for (std::size_t t = 0; t < kept.times.size(); ++t) {
        series[t] = from.value(kept.times[t]);
        presence[t] = static_cast<std::uint8_t>(from.present(kept.times[t]));
      }
    }
  }
  return part;
}

std::vector<std::size_t> all_indices(std::size_t n) {
  std::vector<std::size_t> indices(n);
  for (std::size_t i = 0; i < n; ++i) indices[i] = i;
  return indices;
}

std::vector<std::size_t> marked(std::span<const std::uint8_t> marks) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    if (marks[i] != 0) indices.push_back(i);
  }
  return indices;
}

}  // namespace

SampleTable rows_between(const SampleTable& table, std::size_t begin, std::size_t end) {
  const auto first = table.times().begin();
  SampleTable part{table.host(),
                   table.kind(),
                   table.counters(),
                   table.devices(),
                   {first + static_cast<std::ptrdiff_t>(begin), first + static_cast<std::ptrdiff_t>(end)}};
  part.set_boot(table.boot());
  for (std::size_t c = 0; c < table.counters().size(); ++c) {
    for (std::size_t d = 0; d < table.devices().size(); ++d) {
      if (const auto value = table.uniform(c, d)) {
        part.set_uniform(c, d, *value);
      } else {
        part.copy(table.view(c, d), {.begin = begin, .end = end, .at = 0}, c, d);
      }
    }
  }
  return part;
}

SampleTable keep_rows(const SampleTable& table, std::span<const std::uint8_t> keep) {
  return pick(table, {.counters = all_indices(table.counters().size()),
                      .devices = all_indices(table.devices().size()),
                      .times = marked(keep)});
}

SampleTable without_empty(const SampleTable& table) {
  std::vector<std::uint8_t> counters(table.counters().size());
  std::vector<std::uint8_t> devices(table.devices().size());
  std::vector<std::uint8_t> times(table.times().size());
  for (std::size_t c = 0; c < counters.size(); ++c) {
    for (std::size_t d = 0; d < devices.size(); ++d) {
      const SampleTable::View cells = table.view(c, d);
      for (std::size_t t = 0; t < times.size(); ++t) {
        if (!cells.present(t)) continue;
        counters[c] = 1;
        devices[d] = 1;
        times[t] = 1;
      }
    }
  }
  return pick(table, {.counters = marked(counters), .devices = marked(devices), .times = marked(times)});
}

}  // namespace laggard::archive
