#include "detect/load/load_history.h"

#include <algorithm>
#include <set>

#include "base/error.h"

namespace laggard::detect {

namespace {

constexpr double kPercentOfMs = 0.1;  // ms a second, as a percentage.
constexpr double kPercentOfUs = 1e-4;
constexpr double kPerMs = 1e-3;

constexpr std::array kInputs{
    LoadInput{DeviceKind::kHost, "procs_running", kRunning},
    LoadInput{DeviceKind::kHost, "cpu_user_ms", kCpuTime, kPercentOfMs},
    LoadInput{DeviceKind::kHost, "cpu_system_ms", kCpuTime, kPercentOfMs},
    LoadInput{DeviceKind::kHost, "cpu_irq_ms", kCpuTime, kPercentOfMs},
    LoadInput{DeviceKind::kHost, "procs_blocked", kBlocked},
    LoadInput{DeviceKind::kHost, "psi_cpu_us", kPsiCpu, kPercentOfUs},
    LoadInput{DeviceKind::kHost, "psi_io_us", kPsiIo, kPercentOfUs},
    LoadInput{DeviceKind::kHost, "psi_memory_us", kPsiMemory, kPercentOfUs},
    LoadInput{DeviceKind::kHost, "swap_in", kSwapping},
    LoadInput{DeviceKind::kHost, "swap_out", kSwapping},
    LoadInput{DeviceKind::kHost, "mem_available_kb", kMemoryLeft},
    LoadInput{DeviceKind::kDisk, "rd_ios", kRequestRate},
    LoadInput{DeviceKind::kDisk, "wr_ios", kRequestRate},
    LoadInput{DeviceKind::kDisk, "ios", kRequestRate, 1, "rd_ios"},
    LoadInput{DeviceKind::kDisk, "rd_sectors", kDiskTraffic},
    LoadInput{DeviceKind::kDisk, "wr_sectors", kDiskTraffic},
    LoadInput{DeviceKind::kDisk, "weighted_ms", kDiskQueue, kPerMs},
    LoadInput{DeviceKind::kNet, "rx_bytes", kTraffic},
    LoadInput{DeviceKind::kNet, "tx_bytes", kTraffic},
    LoadInput{DeviceKind::kNet, "rx_drop", kDrops},
    LoadInput{DeviceKind::kNet, "tx_drop", kDrops},
};

CounterForm form_of(const LoadInput& input) {
  const CounterSpec* spec = find_counter(input.kind, input.counter);
  LAGGARD_CHECK(spec != nullptr);
  return spec->form;
}

/// The minute that holds a moment, counted from the epoch.
std::int64_t minute_of(WallTime t) {
  return to_unix_ns(floor_to(t, LoadHistory::kCell)) / LoadHistory::kCell.count();
}

}  // namespace

std::span<const LoadInput> load_inputs() { return kInputs; }

void LoadHistory::put(Host& host, Series& series, const LoadInput& input, const Piece& piece) const {
  if (piece.at < forgotten_) return;
  const std::int64_t minute = minute_of(piece.at);
  Sum& sum = host.minutes[minute][input.metric];
  sum.sum += piece.number * input.factor;
  sum.weight += piece.weight;
  if (sum.series == 0 || series.minute != minute) ++sum.series;
  series.minute = minute;
}

/// The minutes between the sample before and this one: a counter grows evenly, and a momentary number stands
/// for the time since the one before it.
void LoadHistory::fill(Host& host, Series& series, const LoadInput& input, const Piece& now,
                       std::optional<std::uint64_t> increase) const {
  const bool is_gauge = form_of(input) == CounterForm::kGauge;
  const WallTime last = series.time;
  for (WallTime from = last; from < now.at;) {
    const WallTime to = std::min(now.at, floor_to(from, kCell) + kCell);
    const bool is_between = from > last && minute_of(from) != minute_of(now.at);
    if (is_gauge && is_between) put(host, series, input, {from, now.number, 1});
    const double seconds = to_seconds(to - from);
    if (increase) {
      put(host, series, input,
          {from, static_cast<double>(*increase) * seconds / to_seconds(now.at - last), seconds});
    }
    from = to;
  }
}

void LoadHistory::add_column(const SampleTable& table, const Column& column, Host& host) const {
  const LoadInput& input = kInputs[column.input];
  const bool is_gauge = form_of(input) == CounterForm::kGauge;
  const SampleTable::View cells = table.view(column.counter, column.device);
  Series& series = host.series[{table.devices()[column.device], column.input}];
  for (std::size_t t = 0; t < table.times().size(); ++t) {
    const WallTime time = table.times()[t];
    if (!cells.present(t) || (series.time != WallTime{} && time <= series.time)) continue;
    const std::uint64_t value = cells.value(t);
    if (series.has_last && time - series.time <= kLongestPause) {
      fill(host, series, input, {time, static_cast<double>(value), 1},
           is_gauge ? std::nullopt : counter_increase(series.value, value));
    }
    if (is_gauge) put(host, series, input, {time, static_cast<double>(value), 1});
    series = {time, value, series.minute, true};
  }
}

bool LoadHistory::add(const SampleTable& table) {
  bool any = false;
  for (std::size_t i = 0; i < kInputs.size(); ++i) {
    const LoadInput& input = kInputs[i];
    const auto counter = input.kind == table.kind() ? table.counter_index(input.counter) : std::nullopt;
    if (!counter || (!input.unless.empty() && table.counter_index(input.unless))) continue;
    for (const WallTime time : table.times()) first_ = std::min(first_.value_or(time), time);
    Host& host = hosts_[table.host()];
    if (host.boot != table.boot()) {
      for (auto& [key, series] : host.series) series.has_last = false;
      host.boot = table.boot();
    }
    for (std::size_t d = 0; d < table.devices().size(); ++d) add_column(table, {i, *counter, d}, host);
    any = true;
  }
  return any;
}

void LoadHistory::forget(WallTime before) {
  if (before <= forgotten_) return;
  forgotten_ = floor_to(before, kCell);
  for (auto& [name, host] : hosts_) {
    host.minutes.erase(host.minutes.begin(), host.minutes.lower_bound(minute_of(before)));
  }
}

std::vector<std::string_view> LoadHistory::hosts() const {
  std::vector<std::string_view> names;
  names.reserve(hosts_.size());
  for (const auto& [name, host] : hosts_) names.emplace_back(name);
  return names;
}

LoadLevels LoadHistory::levels(std::string_view host, TimeSpan span, std::int64_t least) const {
  LoadLevels levels;
  levels.fill(kMissing);
  const auto found = hosts_.find(host);
  LAGGARD_CHECK(found != hosts_.end());
  // The first minute is the one that begins nearest to the begin of the span.
  const std::int64_t first = minute_of(span.from + kCell / 2);
  const std::int64_t last = minute_of(span.to);
  if (last - first < least) return levels;
  const auto& minutes = found->second.minutes;
  for (std::size_t m = 0; m < kSummedLoads; ++m) {
    double sum = 0;
    std::int64_t known = 0;
    for (auto at = minutes.lower_bound(first); at != minutes.end() && at->first < last; ++at) {
      const double level = at->second[m].level();
      if (!(level >= 0)) continue;
      sum += level;
      ++known;
    }
    if (known >= least && 2 * known >= last - first) levels[m] = sum / static_cast<double>(known);
  }
  constexpr double kMs = 1e3;
  if (levels[kRequestRate] > 0) levels[kServiceTime] = kMs * levels[kDiskQueue] / levels[kRequestRate];
  return levels;
}

std::size_t LoadHistory::disks(std::string_view host) const {
  const auto found = hosts_.find(host);
  LAGGARD_CHECK(found != hosts_.end());
  std::set<std::string_view> disks;
  for (const auto& [key, series] : found->second.series) {
    if (kInputs[key.second].metric == kRequestRate) disks.insert(key.first);
  }
  return disks.size();
}

std::vector<LoadHistory::Saved> LoadHistory::saved() const {
  std::vector<Saved> all;
  for (const auto& [name, host] : hosts_) {
    Saved& one = all.emplace_back(Saved{.host = name, .boot = host.boot, .series = {}, .minutes = {}});
    for (const auto& [key, series] : host.series) {
      const LoadInput& input = kInputs[key.second];
      one.series.push_back({key.first, std::string(input.counter), std::string(to_name(input.kind)), series});
    }
    for (const auto& [minute, sums] : host.minutes) {
      one.minutes.push_back({minute, {sums.begin(), sums.end()}});
    }
  }
  return all;
}

/// \return whether it makes sense.
bool LoadHistory::restore(std::vector<Saved> saved) {
  hosts_.clear();
  for (Saved& one : saved) {
    Host& host = hosts_[one.host];
    host.boot = std::move(one.boot);
    for (SavedSeries& series : one.series) {
      const auto* input = std::ranges::find_if(kInputs, [&](const LoadInput& each) {
        return each.counter == series.counter && to_name(each.kind) == series.kind;
      });
      if (input == kInputs.end()) return false;
      host.series[{std::move(series.device), static_cast<std::size_t>(input - kInputs.begin())}] =
          series.series;
    }
    for (const SavedMinute& minute : one.minutes) {
      if (minute.sums.size() != kSummedLoads) return false;
      std::ranges::copy(minute.sums, host.minutes[minute.minute].begin());
    }
  }
  return true;
}

}  // namespace laggard::detect
