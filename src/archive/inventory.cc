#include "archive/file_set_readers.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "archive/block.h"
#include "base/bytes.h"
#include "base/text.h"

namespace laggard::archive {

namespace {

/// A histogram of the intervals between sample times. It has few entries, since recorders keep a steady
/// interval.
class Distances {
 public:
  void add(std::int64_t ns, std::uint64_t times = 1) {
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
  void add(const Distances& other) {
    for (const auto& [ns, times] : other.counts_) add(ns, times);
  }
  [[nodiscard]] std::optional<Duration> median() const {
    std::uint64_t below = 0;
    for (const auto& [ns, times] : counts_) {
      below += times;
      if (below * 2 >= total_) return Duration{ns};
    }
    return std::nullopt;
  }

 private:
  static constexpr std::size_t kMost = 256;
  std::map<std::int64_t, std::uint64_t> counts_;
  std::uint64_t total_ = 0;
};

struct Device {
  DeviceInfo info;
  Distances distances;
  std::optional<WallTime> last_sample;
};

/// A stretch of a host's time without holes, as far as one block can tell.
struct Segment {
  WallTime from;
  WallTime to;
  std::string boot;
};

struct Host {
  std::map<DeviceKind, std::map<std::string, Device>> devices;
  std::map<DeviceKind, Distances> distances;
  std::vector<Segment> segments;
  std::vector<GapRow> reasons;
  std::vector<GapRow> clock_steps;
  std::map<DeviceKind, WallTime> latest;  ///< The latest sample so far.
};

class InventoryTaker {
 public:
  InventoryTaker(FileSet& files, bool verify) : files_(files), verify_(verify) {}

  Status add_file(std::size_t index) {
    Host& host = hosts_[files_.files()[index].host];
    Result<std::vector<BlockRow>> rows = files_.rows(index);
    if (!rows) return forward(rows);
    for (const BlockRow& row : *rows) {
      Result<BlockHeader> header = files_.header(index, row);
      if (!header && header.error().code != ErrorCode::kDamaged) return forward(header);
      if (!header) {
        note_damage(host, index, row, header.error());
        continue;
      }
      add_block(host, *header);
      note_disorder(host, *header);
      if (verify_) {
        if (Status read = verify_block(host, index, row, *header); !read) return read;
      }
    }
    Result<DayFile*> file = files_.open(index);
    if (!file) return forward(file);
    if (Status read = add_notes(host, **file); !read) {
      if (read.error().code != ErrorCode::kDamaged) return read;
      files_.damage(files_.files()[index].path, read.error().message());
    }
    files_.close(index);
    return {};
  }

  Inventory finish() {
    Inventory inventory;
    for (auto& [name, host] : hosts_) {
      for (auto& [kind, devices] : host.devices) {
        for (auto& [device, entry] : devices) {
          entry.info.interval = entry.distances.median();
          inventory.devices.push_back(std::move(entry.info));
        }
      }
      add_gaps(name, host, inventory.gaps);
      for (const GapRow& step : host.clock_steps) {
        inventory.clock_steps.push_back(
            {.host = name, .before = step.first, .after = step.last, .reason = step.reason});
      }
    }
    std::ranges::sort(inventory.devices, [](const DeviceInfo& a, const DeviceInfo& b) {
      if (a.host != b.host) return natural_less(a.host, b.host);
      if (a.kind != b.kind) return a.kind < b.kind;
      return natural_less(a.device, b.device);
    });
    inventory.notices = files_.notices();
    inventory.damaged.assign(files_.damaged().begin(), files_.damaged().end());
    return inventory;
  }

 private:
  void note_damage(Host& host, std::size_t index, const BlockRow& row, const Error& error) {
    files_.damage(files_.files()[index].path, error.message());
    host.reasons.push_back(
        {.first = row.earliest, .last = row.latest, .lost = row.samples, .reason = "damaged block"});
  }

  /// Adds the stretch from the earliest sample that is not later than its predecessor up to that predecessor.
  void note_disorder(Host& host, const BlockHeader& header) {
    WallTime& latest = host.latest.try_emplace(*device_kind(header.kind), WallTime::min()).first->second;
    std::optional<TimeSpan> disorder;
    for (const WallTime t : header.times) {
      if (t <= latest) disorder = {std::min(t, disorder ? disorder->from : t), latest};
      latest = std::max(latest, t);
    }
    if (disorder) files_.add_disorder(*disorder);
  }

  Status verify_block(Host& host, std::size_t index, const BlockRow& row, const BlockHeader& header) {
    Result<DayFile*> file = files_.open(index);
    if (!file) return forward(file);
    for (std::size_t c = 0; c < header.counters.size(); ++c) {
      const BlockCounter& counter = header.counters[c];
      Result<std::string_view> bytes = (*file)->chunk(row.id, c);
      if (!bytes && bytes.error().code != ErrorCode::kDamaged) return forward(bytes);
      if (bytes && bytes->size() == counter.bytes && checksum(*bytes) == counter.hash) continue;
      note_damage(
          host, index, row,
          {.code = ErrorCode::kDamaged,
           .where = files_.files()[index].path.string(),
           .what = fmt::format("{} of {} samples of {} from {} to {} is lost: {}", counter.counter.name,
                               row.kind, header.host, to_iso8601(row.earliest), to_iso8601(row.latest),
                               bytes ? "its checksum does not hold" : bytes.error().what)});
    }
    return {};
  }

  static void add_block(Host& host, const BlockHeader& header) {
    const DeviceKind kind = *device_kind(header.kind);
    const Runs everywhere = Runs::full(header.times.size());
    Distances block;
    for_each_distance(header, everywhere, [&](std::int64_t ns) { block.add(ns); });
    host.distances[kind].add(block);
    // Blocks of one sample have no distances of their own: a recorder that is killed early leaves only such.
    const auto before = host.latest.find(kind);
    if (before != host.latest.end() && header.times.front() > before->second) {
      host.distances[kind].add((header.times.front() - before->second).count());
    }
    add_segments(host, header, block.median());

    std::vector<Distances> patterns(header.patterns.size());
    for (std::size_t p = 0; p < patterns.size(); ++p) {
      for_each_distance(header, header.patterns[p], [&](std::int64_t ns) { patterns[p].add(ns); });
    }
    std::map<std::string, Device>& devices = host.devices[kind];
    for (std::size_t d = 0; d < header.devices.size(); ++d) {
      const Runs& runs = header.device_presence(d);
      if (runs.present() == 0) continue;
      add_device(devices[header.devices[d]], header, d);
      devices[header.devices[d]].distances.add(patterns[header.presence[d]]);
    }
  }

  static void add_device(Device& device, const BlockHeader& header, std::size_t d) {
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

  template <typename F>
  static void for_each_distance(const BlockHeader& header, const Runs& runs, F&& f) {
    std::optional<WallTime> before;
    runs.for_each([&](std::size_t begin, std::size_t end) {
      for (std::size_t t = begin; t < end; ++t) {
        if (before && header.times[t] > *before) f((header.times[t] - *before).count());
        before = header.times[t];
      }
    });
  }

  /// Cuts the block's times where an interval is more than three times the block's usual one.
  static void add_segments(Host& host, const BlockHeader& header, std::optional<Duration> interval) {
    std::vector<WallTime> times = header.times;
    std::ranges::sort(times);
    Segment segment{.from = times.front(), .to = times.front(), .boot = header.boot};
    for (const WallTime t : times) {
      if (interval && t - segment.to > 3 * *interval) {
        host.segments.push_back(segment);
        segment.from = t;
      }
      segment.to = t;
    }
    host.segments.push_back(std::move(segment));
  }

  Status add_notes(Host& host, DayFile& file) {
    Result<Notes> notes = file.notes(files_.codec());
    if (!notes) return forward(notes);
    if (notes->damaged > 0) {
      files_.damage(file.path(),
                    fmt::format("{}: facts of devices or gaps are lost: {} rows are gone or damaged",
                                file.path().string(), notes->damaged));
    }
    for (const GapRow& row : notes->gaps) {
      if (row.reason.starts_with(kClockStepped)) host.clock_steps.push_back(row);
      host.reasons.push_back(row);
    }
    for (const auto& [fact, value] : notes->facts) {
      const std::optional<DeviceKind> kind = device_kind(fact.kind);
      if (!kind) continue;
      const auto device = host.devices[*kind].find(fact.device);
      if (device == host.devices[*kind].end()) continue;
      auto& known = device->second.info.facts;
      const auto same = std::ranges::find(known, fact.key, &std::pair<std::string, std::string>::first);
      if (same == known.end()) {
        known.emplace_back(fact.key, value);
      } else {
        same->second = value;  // Files come in order of time, so the latest value wins.
      }
    }
    return {};
  }

  static std::string reason_of(const Host& host, const Segment& before, const Segment& after) {
    for (const GapRow& row : host.reasons) {
      if (row.first < after.from && row.last > before.to) return row.reason;
      if (row.first == before.to && row.last == after.from) return row.reason;
    }
    return before.boot != after.boot && !before.boot.empty() && !after.boot.empty() ? "reboot" : "";
  }

  static void add_gaps(const std::string& name, Host& host, std::vector<Gap>& gaps) {
    std::optional<Duration> interval;
    for (const auto& [kind, distances] : host.distances) {
      const std::optional<Duration> median = distances.median();
      if (median && (!interval || *median < *interval)) interval = median;
    }
    if (!interval || host.segments.empty()) return;
    std::ranges::sort(host.segments, {}, &Segment::from);
    Segment last = host.segments.front();
    for (const Segment& segment : host.segments) {
      if (segment.from - last.to > 3 * *interval) {
        gaps.push_back(
            {.host = name, .from = last.to, .to = segment.from, .reason = reason_of(host, last, segment)});
      }
      if (segment.to >= last.to) last = segment;
    }
  }

  FileSet& files_;
  bool verify_;
  std::map<std::string, Host> hosts_;
};

}  // namespace

Result<Inventory> take_inventory(FileSet& files, bool verify) {
  InventoryTaker taker{files, verify};
  const auto [begin, end] = files.of_stream(Stream::kMetrics);
  for (std::size_t i = begin; i < end; ++i) {
    if (Status added = taker.add_file(i); !added) return forward(added);
  }
  return taker.finish();
}

}  // namespace laggard::archive
