#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyse/metric/device_meter.h"
#include "analyse/metric/formula.h"
#include "analyse/metric/grid.h"
#include "model/metric.h"
#include "model/sample_table.h"

namespace laggard::analyse {

/// Where a recorded series belongs: a member of a peer group. A device may serve several groups.
struct Route {
  std::uint32_t group = 0;
  std::uint32_t member = 0;
};

/// Tells the routes of a series; connections come and go, so new names may appear at any time.
using Router =
    std::function<std::vector<Route>(const std::string& host, DeviceKind kind, const std::string& device)>;

/// Which of a server's packets its retransmissions are held against: it sends the data in a read, receives it
/// in a write.
enum class PacketSide : std::uint8_t { kSent, kReceived };

/// One metric over one peer group.
struct TrackSpec {
  const MetricSpec* metric = nullptr;
  std::uint32_t group = 0;
  std::vector<std::string> hosts;       ///< The host of each member.
  PacketSide side = PacketSide::kSent;  ///< For retransmits.
};

/// All tracks in one grid cell: `columns[track][member]`, NaN where missing.
struct MetricCell {
  std::int64_t cell = 0;
  std::span<const std::vector<double>> columns;
};

/// Samples in, one column per metric and grid cell out, in the order of cells; cells in which no track has a
/// value are left out. Holds only the cells between the slowest host and the fastest (a table's length), and
/// one sample of each device.
///
/// retransmits, in % : 100 x segments retransmitted / max(packets, 100) in the cell, where packets are those
/// of the server's interfaces on the given side; the floor of 100 keeps one lost packet of an idle server
/// from being a large share. Where no interface is recorded, 500 packets/s are assumed. cwnd: mean over the
/// connections of the component that sent in the cell, where bytes_sent tells, else over all.
class MetricStream {
 public:
  using Consumer = std::function<void(const MetricCell&)>;

  MetricStream(Grid grid, Duration interval, std::vector<TrackSpec> tracks, Router router);

  void add(const SampleTable& table);

  /// Hands out every cell that can no longer change once all samples before `watermark` were added.
  void advance(WallTime watermark, const Consumer& consumer);

  /// Hands out what is left at the end of the recording.
  void finish(const Consumer& consumer);

 private:
  /// Of whom in a retransmission track an interface carries the packets.
  struct PacketRoute {
    std::size_t track = 0;
    std::size_t member = 0;
  };
  struct Device {
    DeviceMeter meter;
    std::vector<Route> routes;
    std::vector<PacketRoute> packets;  ///< Retransmission tracks that count this interface's packets.
    std::int64_t born = 0;             ///< The cell of the first sample.
    bool stalled = false;
    double stalled_seconds = 0;  ///< For how long nothing has completed, at least.
    std::int64_t last_cell = std::numeric_limits<std::int64_t>::min();
  };
  struct PendingTrack {
    std::vector<double> sum;
    std::vector<double> count;    ///< Only for tracks that sum over connections.
    std::vector<double> packets;  ///< Only for retransmits.
  };
  struct Pending {
    std::vector<PendingTrack> tracks;
  };

  Device& device(const SampleTable& table, std::size_t d);
  void store(Device& device, DeviceKind kind, const FinishedCell& finished);
  void store_value(std::size_t track, std::size_t member, const Device& device, const FinishedCell& finished);
  void store_connection(std::size_t track, std::size_t member, const FinishedCell& finished);
  void store_packets(const Device& device, const FinishedCell& finished);
  void settle(WallTime sure);
  PendingTrack* pending(std::size_t track, std::int64_t cell);
  void emit_front(const Consumer& consumer);
  void forget_dead_connections();

  Grid grid_;
  Duration interval_;
  std::vector<TrackSpec> tracks_;
  std::vector<Formula> formulas_;
  std::vector<std::vector<std::size_t>> tracks_of_group_;
  Router router_;
  std::unordered_map<std::string, Device> devices_;
  std::map<std::int64_t, Pending> pending_;  ///< By cell; cells in which nothing was recorded are not there.
  std::int64_t next_ = 0;                    ///< Cells before this one have been handed out.
  std::int64_t settled_ = std::numeric_limits<std::int64_t>::min();  ///< Where `settle` was called last.
  std::int64_t forgotten_at_ = 0;  ///< The cell at which closed connections were last looked for.
  bool started_ = false;
  std::vector<FinishedCell> finished_;
  std::vector<std::vector<double>> columns_;
};

}  // namespace laggard::analyse
