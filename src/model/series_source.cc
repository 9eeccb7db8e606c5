#include "model/series_source.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include "base/text.h"

namespace laggard {

namespace {

/// Of a source that has no work to share out.
class ReadyTable final : public PackedTable {
 public:
  explicit ReadyTable(SampleTable table) : table_(std::move(table)) {}
  [[nodiscard]] std::size_t cells() const override { return table_.cells(); }
  void unpack() override {}
  Result<std::optional<SampleTable>> take() override { return std::move(table_); }

 private:
  SampleTable table_;
};

template <typename T>
bool wanted(const std::vector<T>& list, const T& item) {
  return list.empty() || std::find(list.begin(), list.end(), item) != list.end();
}

std::string key_of(const std::string& host, DeviceKind kind, const std::string& device) {
  return host + '\n' + std::string(to_name(kind)) + '\n' + device;
}

/// Whether device `d` did something at sample `t`, compared with the sample before (see DeviceInfo).
bool is_active(const SampleTable& table, std::size_t d, std::size_t t) {
  for (std::size_t c = 0; c < table.counters().size(); ++c) {
    if (!table.present(c, d, t)) continue;
    const std::uint64_t now = table.bits(c, d, t);
    if (table.counters()[c].form == CounterForm::kComputedRate && std::bit_cast<double>(now) != 0)
      return true;
    if (table.counters()[c].form != CounterForm::kCumulative || t == 0 || !table.present(c, d, t - 1))
      continue;
    if (now > table.bits(c, d, t - 1)) return true;
  }
  return false;
}

class ListReader final : public TableReader {
 public:
  explicit ListReader(std::vector<SampleTable> tables) : tables_(std::move(tables)) {}

  Result<std::optional<SampleTable>> next() override {
    if (at_ == tables_.size()) return std::nullopt;
    return std::move(tables_[at_++]);
  }

 private:
  std::vector<SampleTable> tables_;
  std::size_t at_ = 0;
};

/// The samples that a request asks for.
std::vector<std::size_t> wanted_rows(const SampleTable& table, const ReadRequest& request) {
  std::vector<std::size_t> rows;
  if (!wanted(request.hosts, table.host()) || !wanted(request.kinds, table.kind())) return rows;
  for (std::size_t t = 0; t < table.times().size(); ++t) {
    const WallTime time = table.times()[t];
    if ((!request.from || time >= *request.from) && (!request.to || time < *request.to)) rows.push_back(t);
  }
  return rows;
}

struct SeriesPlace {
  std::size_t counter = 0;
  std::size_t device = 0;
};

void copy_series(const SampleTable& table, SeriesPlace from, const std::vector<std::size_t>& rows,
                 SeriesPlace to, SampleTable& out) {
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (!table.present(from.counter, from.device, rows[k])) continue;
    out.set(to.counter, to.device, k, table.bits(from.counter, from.device, rows[k]));
  }
}

bool any_present(const SampleTable& table, std::size_t d, std::size_t t) {
  for (std::size_t c = 0; c < table.counters().size(); ++c) {
    if (table.present(c, d, t)) return true;
  }
  return false;
}

/// What is known of a device while its tables are looked through.
struct Gathered {
  DeviceInfo info;
  std::vector<Duration> distances;

  void add(const SampleTable& table, std::size_t d) {
    info.host = table.host();
    info.kind = table.kind();
    info.device = table.devices()[d];
    for (std::size_t t = 0; t < table.times().size(); ++t) {
      if (any_present(table, d, t)) add_sample(table.times()[t], is_active(table, d, t));
    }
    for (const TableCounter& counter : table.counters()) {
      if (std::find(info.counters.begin(), info.counters.end(), counter) == info.counters.end()) {
        info.counters.push_back(counter);
      }
    }
  }

  void add_sample(WallTime time, bool active) {
    if (info.samples == 0) info.first = time;
    if (info.samples > 0 && time > info.last) distances.push_back(time - info.last);
    info.last = time;
    ++info.samples;
    info.active_samples += active ? 1U : 0U;
  }

  void find_interval() {
    if (distances.empty()) return;
    const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
    std::nth_element(distances.begin(), middle, distances.end());
    info.interval = *middle;
  }
};

}  // namespace

Result<std::unique_ptr<PackedTable>> TableReader::next_packed() {
  Result<std::optional<SampleTable>> table = next();
  if (!table) return forward(table);
  if (!*table) return std::unique_ptr<PackedTable>();
  return std::make_unique<ReadyTable>(std::move(**table));
}

SampleTable select(const SampleTable& table, const ReadRequest& request) {
  const std::vector<std::size_t> rows = wanted_rows(table, request);
  std::vector<std::size_t> columns;
  std::vector<TableCounter> counters;
  for (std::size_t c = 0; c < table.counters().size(); ++c) {
    if (!wanted(request.counters, table.counters()[c].name)) continue;
    columns.push_back(c);
    counters.push_back(table.counters()[c]);
  }
  std::vector<WallTime> times;
  times.reserve(rows.size());
  for (const std::size_t t : rows) times.push_back(table.times()[t]);
  SampleTable out(table.host(), table.kind(), std::move(counters), table.devices(), std::move(times));
  out.set_boot(table.boot());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    for (std::size_t d = 0; d < table.devices().size(); ++d)
      copy_series(table, {columns[c], d}, rows, {c, d}, out);
  }
  return out;
}

Status MemorySource::append(const SampleTable& table) {
  tables_.push_back(table);
  return {};
}

Status MemorySource::describe(const DeviceInfo& device) {
  facts_[key_of(device.host, device.kind, device.device)] = device.facts;
  return {};
}

Result<Inventory> MemorySource::inventory() {
  std::map<std::tuple<std::string, DeviceKind, std::string>, Gathered> devices;
  for (const SampleTable& table : tables_) {
    for (std::size_t d = 0; d < table.devices().size(); ++d) {
      devices[std::tuple(table.host(), table.kind(), table.devices()[d])].add(table, d);
    }
  }
  Inventory inventory;
  for (auto& [key, gathered] : devices) {
    gathered.find_interval();
    DeviceInfo& info = gathered.info;
    const auto facts = facts_.find(key_of(info.host, info.kind, info.device));
    if (facts != facts_.end()) info.facts = facts->second;
    inventory.devices.push_back(std::move(info));
  }
  std::sort(inventory.devices.begin(), inventory.devices.end(), [](const DeviceInfo& a, const DeviceInfo& b) {
    if (a.host != b.host) return natural_less(a.host, b.host);
    if (a.kind != b.kind) return a.kind < b.kind;
    return natural_less(a.device, b.device);
  });
  return inventory;
}

Result<std::unique_ptr<TableReader>> MemorySource::read(const ReadRequest& request) {
  std::vector<SampleTable> selected;
  for (const SampleTable& table : tables_) {
    SampleTable part = select(table, request);
    if (!part.times().empty() && !part.counters().empty()) selected.push_back(std::move(part));
  }
  std::stable_sort(selected.begin(), selected.end(), [](const SampleTable& a, const SampleTable& b) {
    return a.times().front() < b.times().front();
  });
  return std::make_unique<ListReader>(std::move(selected));
}

}  // namespace laggard
