#include "analyse/metric/metric_stream.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace laggard::analyse {

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr double kLeastPackets = 100;
constexpr double kAssumedPacketsPerSecond = 500;
/// A device's cell is finished by a sample at most one allowed gap later.
constexpr double kLatenessIntervals = 2.5;
/// Connections that were silent for this many cells have closed.
constexpr std::int64_t kDeadCells = 600;

bool over_connections(const TrackSpec& track) { return track.metric->kind == DeviceKind::kTcp; }
bool is_retransmission(const TrackSpec& track) { return track.metric->role == Role::kRetransmission; }

/// Of a key made by `device`.
DeviceKind kind_of(const std::string& key) { return static_cast<DeviceKind>(key[key.find('\0') + 1] - '0'); }

}  // namespace

MetricStream::MetricStream(Grid grid, Duration interval, std::vector<TrackSpec> tracks, Router router)
    : grid_(grid), interval_(interval), tracks_(std::move(tracks)), router_(std::move(router)) {
  columns_.resize(tracks_.size());
  for (std::size_t t = 0; t < tracks_.size(); ++t) {
    formulas_.push_back(formula_of(*tracks_[t].metric));
    tracks_of_group_.resize(
        std::max<std::size_t>(tracks_of_group_.size(), tracks_[t].group + std::size_t{1}));
    tracks_of_group_[tracks_[t].group].push_back(t);
    columns_[t].resize(tracks_[t].hosts.size());
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
  if (!table.times().empty()) fresh.born = grid_.cell(table.times().front());
  if (table.kind() == DeviceKind::kNet && !fresh.routes.empty()) {
    for (std::size_t t = 0; t < tracks_.size(); ++t) {
      if (!is_retransmission(tracks_[t])) continue;
      const auto& hosts = tracks_[t].hosts;
      const auto member = std::find(hosts.begin(), hosts.end(), table.host());
      if (member == hosts.end()) continue;
      fresh.packets.push_back({t, static_cast<std::size_t>(member - hosts.begin())});
    }
  }
  return devices_.emplace(std::move(key), std::move(fresh)).first->second;
}

MetricStream::PendingTrack* MetricStream::pending(std::size_t track, std::int64_t cell) {
  if (started_ && cell < next_) return nullptr;
  Pending& target = pending_[cell];
  if (target.tracks.empty()) {
    for (const TrackSpec& spec : tracks_) {
      PendingTrack& p = target.tracks.emplace_back();
      p.sum.assign(spec.hosts.size(), kMissing);
      if (over_connections(spec)) p.count.assign(spec.hosts.size(), 0);
      if (is_retransmission(spec)) p.packets.assign(spec.hosts.size(), kMissing);
    }
  }
  return &target.tracks[track];
}

void MetricStream::store_connection(std::size_t track, std::size_t member, const FinishedCell& finished) {
  const CellValues& values = finished.values;
  const bool retransmission = is_retransmission(tracks_[track]);
  const double value = retransmission ? values[Slot::kRetransmitted] / values.seconds : values[Slot::kCwnd];
  if (std::isnan(value)) return;
  // A connection that sent nothing keeps the window of long ago.
  if (!retransmission && values[Slot::kBytesSent] == 0) return;
  PendingTrack* p = pending(track, finished.cell);
  if (p == nullptr) return;
  const double before = std::isnan(p->sum[member]) ? 0 : p->sum[member];
  p->sum[member] = before + value;
  p->count[member] += 1;
}

void MetricStream::store_packets(const Device& device, const FinishedCell& finished) {
  for (const PacketRoute& route : device.packets) {
    const Slot side = tracks_[route.track].side == PacketSide::kSent ? Slot::kTxPackets : Slot::kRxPackets;
    const double rate = finished.values[side] / finished.values.seconds;
    PendingTrack* p = std::isnan(rate) ? nullptr : pending(route.track, finished.cell);
    if (p == nullptr) continue;
    double& packets = p->packets[route.member];
    packets = (std::isnan(packets) ? 0 : packets) + rate;
  }
}

void MetricStream::store(Device& device, DeviceKind kind, const FinishedCell& finished) {
  // A clock that was stepped back tells cells again. Values are replaced, but what went into a sum stays.
  const bool told_before = finished.cell <= device.last_cell;
  const bool stalled = kind == DeviceKind::kDisk && is_stalled(finished.values);
  // What happened in cells that are missing is not known: the wait starts anew after them.
  const bool still = device.stalled && finished.cell == device.last_cell + 1;
  // At first all that is known is that a request was there at the last sample; it may have just come.
  const double first = std::max(0.0, finished.values.seconds - to_seconds(interval_));
  const double longer = still ? device.stalled_seconds + finished.values.seconds : first;
  device.stalled = stalled;
  device.stalled_seconds = stalled ? longer : 0;
  device.last_cell = std::max(device.last_cell, finished.cell);
  for (const Route& route : device.routes) {
    if (route.group >= tracks_of_group_.size()) continue;
    for (const std::size_t track : tracks_of_group_[route.group]) {
      if (tracks_[track].metric->kind != kind) continue;
      if (!over_connections(tracks_[track])) {
        store_value(track, route.member, device, finished);
      } else if (!told_before) {
        store_connection(track, route.member, finished);
      }
    }
  }
  if (!told_before) store_packets(device, finished);
}

void MetricStream::store_value(std::size_t track, std::size_t member, const Device& device,
                               const FinishedCell& finished) {
  const double value = formulas_[track](finished.values, device.stalled_seconds);
  if (PendingTrack* p = pending(track, finished.cell)) p->sum[member] = value;
}

void MetricStream::add(const SampleTable& table) {
  for (std::size_t d = 0; d < table.devices().size(); ++d) {
    Device& target = device(table, d);
    if (target.routes.empty()) continue;
    finished_.clear();
    target.meter.add(table, d, finished_);
    for (const FinishedCell& cell : finished_) store(target, table.kind(), cell);
  }
}

void MetricStream::emit_front(const Consumer& consumer) {
  for (std::size_t t = 0; t < tracks_.size(); ++t) {
    const PendingTrack& p = pending_.begin()->second.tracks[t];
    std::vector<double>& column = columns_[t];
    for (std::size_t i = 0; i < column.size(); ++i) {
      if (is_retransmission(tracks_[t])) {
        const double packets = std::isnan(p.packets[i]) ? kAssumedPacketsPerSecond : p.packets[i];
        column[i] = 100 * p.sum[i] / std::max(packets, kLeastPackets);
      } else if (over_connections(tracks_[t])) {
        column[i] = p.sum[i] / p.count[i];  // NaN / 0 stays NaN
      } else {
        column[i] = p.sum[i];
      }
    }
  }
  const std::int64_t cell = pending_.begin()->first;
  consumer({cell, columns_});
  pending_.erase(pending_.begin());
  started_ = true;
  next_ = cell + 1;
}

void MetricStream::forget_dead_connections() {
  if (next_ < forgotten_at_ + kDeadCells) return;
  forgotten_at_ = next_;
  std::erase_if(devices_, [this](const auto& entry) {
    const Device& device = entry.second;
    return kind_of(entry.first) == DeviceKind::kTcp &&
           std::max(device.born, device.last_cell) + kDeadCells < next_;
  });
}

/// Takes out of the meters the cells that can no longer change: the last one before a device fell silent
/// waits there for a sample that may never come.
void MetricStream::settle(WallTime sure) {
  for (auto& [key, target] : devices_) {
    finished_.clear();
    target.meter.settle(sure, finished_);
    for (const FinishedCell& cell : finished_) store(target, kind_of(key), cell);
  }
}

void MetricStream::advance(WallTime watermark, const Consumer& consumer) {
  const Duration lateness{
      static_cast<std::int64_t>(static_cast<double>(interval_.count()) * kLatenessIntervals)};
  const WallTime sure = watermark - lateness;
  // Tables of many hosts begin together: the devices need looking at once for all of them.
  if (grid_.cell(sure) == settled_) return;
  settled_ = grid_.cell(sure);
  settle(sure);
  while (!pending_.empty() && grid_.end(pending_.begin()->first) <= sure) emit_front(consumer);
  forget_dead_connections();
}

void MetricStream::finish(const Consumer& consumer) {
  for (auto& [key, target] : devices_) {
    finished_.clear();
    target.meter.finish(finished_);
    for (const FinishedCell& cell : finished_) store(target, kind_of(key), cell);
  }
  while (!pending_.empty()) emit_front(consumer);
}

}  // namespace laggard::analyse
