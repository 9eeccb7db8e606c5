#include "archive/host_inventory.h"

#include <algorithm>
#include <span>
#include <type_traits>
#include <utility>

#include "base/text.h"

namespace laggard::archive {

namespace {

template <typename F>
void for_each_distance(const BlockHeader& header, const Runs& runs, F&& f) {
  std::optional<WallTime> before;
  runs.for_each([&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      if (before && header.times[t] > *before) f((header.times[t] - *before).count());
      before = header.times[t];
    }
  });
}

}  // namespace

void Distances::add(std::int64_t ns, std::uint64_t times) {
  // Rounded to milliseconds, below which a schedule only jitters, or to microseconds for fast sampling.
  const std::int64_t unit = ns >= 10'000'000 ? 1'000'000 : 1'000;
  const std::int64_t rounded = ns < unit ? ns : (ns + unit / 2) / unit * unit;
  auto at = counts_.lower_bound(rounded);
  if (counts_.size() >= kMost && (at == counts_.end() || at->first != rounded)) {
    // An irregular source: where there is no room left, the nearest entry is counted instead.
    if (at == counts_.end()) --at;
    at->second += times;
  } else {
    counts_[rounded] += times;
  }
  total_ += times;
}

std::optional<Duration> Distances::median() const {
  std::uint64_t below = 0;
  for (const auto& [ns, times] : counts_) {
    below += times;
    if (below * 2 >= total_) return Duration{ns};
  }
  return std::nullopt;
}

void HostInventory::add_block(const BlockHeader& header) {
  const DeviceKind kind = *device_kind(header.kind);
  const Runs everywhere = Runs::full(header.times.size());
  Distances block;
  for_each_distance(header, everywhere, [&](std::int64_t ns) { block.add(ns); });
  distances_[kind].add(block);
  // Blocks of one sample have no distances of their own: a recorder that is killed early leaves only such.
  const auto before = latest_.find(kind);
  if (before != latest_.end() && header.times.front() > before->second) {
    distances_[kind].add((header.times.front() - before->second).count());
  }
  add_segments(header, block.median());

  std::vector<Distances> patterns(header.patterns.size());
  for (std::size_t p = 0; p < patterns.size(); ++p) {
    for_each_distance(header, header.patterns[p], [&](std::int64_t ns) { patterns[p].add(ns); });
  }
  std::map<std::string, Device>& devices = devices_[kind];
  for (std::size_t d = 0; d < header.devices.size(); ++d) {
    const Runs& runs = header.device_presence(d);
    if (runs.present() == 0) continue;
    Device& device = devices[header.devices[d]];
    add_device(device, header, d);
    device.distances.add(patterns[header.presence[d]]);
  }
  note_disorder(header);
}

/// Adds the stretch from the earliest sample that is not later than its predecessor up to that predecessor.
void HostInventory::note_disorder(const BlockHeader& header) {
  WallTime& latest = latest_.try_emplace(*device_kind(header.kind), WallTime::min()).first->second;
  std::optional<TimeSpan> disorder;
  for (const WallTime t : header.times) {
    if (t <= latest) disorder = {std::min(t, disorder ? disorder->from : t), latest};
    latest = std::max(latest, t);
  }
  if (disorder) disorder_.push_back(*disorder);
}

void HostInventory::add_device(Device& device, const BlockHeader& header, std::size_t d) {
  DeviceInfo& info = device.info;
  const Runs& runs = header.device_presence(d);
  WallTime first = WallTime::max();
  WallTime last = WallTime::min();
  std::optional<WallTime> first_recorded;
  std::optional<WallTime> last_recorded;
  runs.for_each([&](std::size_t begin, std::size_t end) {
    const auto times = std::span(header.times).subspan(begin, end - begin);
    const auto [low, high] = std::ranges::minmax(times);
    first = std::min(first, low);
    last = std::max(last, high);
    if (!first_recorded) first_recorded = times.front();
    last_recorded = times.back();
  });
  if (info.samples == 0) {
    info.host = header.host;
    info.kind = *device_kind(header.kind);
    info.device = header.devices[d];
    info.first = first;
    info.last = last;
  }
  info.first = std::min(info.first, first);
  info.last = std::max(info.last, last);
  info.samples += runs.present();
  info.active_samples += header.active[d];
  for (const BlockCounter& c : header.counters) {
    if (std::ranges::find(info.counters, c.counter) == info.counters.end())
      info.counters.push_back(c.counter);
  }
  if (device.last_sample && *first_recorded > *device.last_sample) {
    device.distances.add((*first_recorded - *device.last_sample).count());
  }
  device.last_sample = last_recorded;
}

std::size_t HostInventory::boot_of(const std::string& boot) {
  const auto known = std::ranges::find(boots_, boot);
  if (known != boots_.end()) return static_cast<std::size_t>(known - boots_.begin());
  boots_.push_back(boot);
  return boots_.size() - 1;
}

/// Disks, interfaces and sockets are sampled together, which is one stretch of the host's time.
void HostInventory::add_segment(const Segment& segment) {
  constexpr std::size_t kKinds = 4;
  const auto last = std::span(segments_).last(std::min(kKinds, segments_.size()));
  if (std::ranges::find(last, segment) == last.end()) segments_.push_back(segment);
}

/// Cuts the block's times where an interval is more than three times the block's usual one.
void HostInventory::add_segments(const BlockHeader& header, std::optional<Duration> interval) {
  std::vector<WallTime> times = header.times;
  std::ranges::sort(times);
  Segment segment{.from = times.front(), .to = times.front(), .boot = boot_of(header.boot)};
  for (const WallTime t : times) {
    if (interval && t - segment.to > 3 * *interval) {
      add_segment(segment);
      segment.from = t;
    }
    segment.to = t;
  }
  add_segment(segment);
}

void HostInventory::add_notes(const Notes& notes) {
  for (const GapRow& row : notes.gaps) {
    if (row.reason.starts_with(kClockStepped)) clock_steps_.push_back(row);
    reasons_.push_back(row);
  }
  for (const auto& [fact, value] : notes.facts) {
    const std::optional<DeviceKind> kind = device_kind(fact.kind);
    if (!kind) continue;
    const auto device = devices_[*kind].find(fact.device);
    if (device == devices_[*kind].end()) continue;
    auto& known = device->second.info.facts;
    const auto same = std::ranges::find(known, fact.key, &std::pair<std::string, std::string>::first);
    if (same == known.end()) {
      known.emplace_back(fact.key, value);
    } else {
      same->second = value;  // Files come in order of time, so the latest value wins.
    }
  }
}

std::size_t HostInventory::devices() const {
  std::size_t n = 0;
  for (const auto& [kind, devices] : devices_) n += devices.size();
  return n;
}

std::string HostInventory::reason_of(const Segment& before, const Segment& after) const {
  for (const GapRow& row : reasons_) {
    if (row.first < after.from && row.last > before.to) return row.reason;
    if (row.first == before.to && row.last == after.from) return row.reason;
  }
  const std::string& boot_before = boots_[before.boot];
  const std::string& boot_after = boots_[after.boot];
  return boot_before != boot_after && !boot_before.empty() && !boot_after.empty() ? "reboot" : "";
}

void HostInventory::add_gaps(const std::string& host, std::vector<Gap>& gaps) const {
  std::optional<Duration> interval;
  for (const auto& [kind, distances] : distances_) {
    const std::optional<Duration> median = distances.median();
    if (median && (!interval || *median < *interval)) interval = median;
  }
  if (!interval || segments_.empty()) return;
  std::vector<Segment> segments = segments_;
  std::ranges::sort(segments, {}, &Segment::from);
  Segment last = segments.front();
  for (const Segment& segment : segments) {
    if (segment.from - last.to > 3 * *interval) {
      gaps.push_back({.host = host, .from = last.to, .to = segment.from, .reason = reason_of(last, segment)});
    }
    if (segment.to >= last.to) last = segment;
  }
}

void HostInventory::add_clock_steps(const std::string& host, std::vector<ClockStep>& steps) const {
  for (const GapRow& step : clock_steps_) {
    steps.push_back({.host = host, .before = step.first, .after = step.last, .reason = step.reason});
  }
}

template <class Self>
void HostInventory::add_devices(Self& self, std::vector<DeviceInfo>& devices) {
  for (auto& [kind, of_kind] : self.devices_) {
    const auto begin = static_cast<std::ptrdiff_t>(devices.size());
    for (auto& [name, device] : of_kind) {
      if constexpr (std::is_const_v<Self>) {
        devices.push_back(device.info);
      } else {
        devices.push_back(std::move(device.info));
      }
      devices.back().interval = device.distances.median();
    }
    std::sort(devices.begin() + begin, devices.end(),
              [](const DeviceInfo& a, const DeviceInfo& b) { return natural_less(a.device, b.device); });
  }
}

template void HostInventory::add_devices(const HostInventory&, std::vector<DeviceInfo>&);
template void HostInventory::add_devices(HostInventory&, std::vector<DeviceInfo>&);

}  // namespace laggard::archive
