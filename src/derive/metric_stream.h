#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/workers.h"
#include "derive/cell_plan.h"
#include "derive/device_meter.h"
#include "derive/formula.h"
#include "model/cell_series.h"
#include "model/grid.h"
#include "model/metric.h"
#include "model/sample_table.h"

namespace laggard::derive {

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
  std::size_t members = 0;
  std::vector<std::string> hosts;       ///< The host of each member; for retransmits alone.
  PacketSide side = PacketSide::kSent;  ///< For retransmits.
};

/// All tracks in one grid cell: `columns[track][member]`, NaN where missing.
struct MetricCell {
  std::int64_t cell = 0;
  std::span<const std::span<const double>> columns;
};

/// Samples in, one column per metric and grid cell out, in the order of cells; cells in which no track has a
/// value are left out. Holds only the cells between the slowest host and the fastest (a table's length), of
/// members that are not idle, and one sample of each device.
///
/// retransmits, in % : 100 x segments retransmitted / max(packets, 100) in the cell, where packets are those
/// of the server's interfaces on the given side; the floor of 100 keeps one lost packet of an idle server
/// from being a large share. Where no interface is recorded, 500 packets/s are assumed. cwnd and
/// other metrics of connections: mean over those of the component that sent in the cell, where bytes_sent
/// tells, else over all; of kUsers and kUsersShare also over those that waited; of kRatio over what all did.
/// Of kTotal the sum over all.
class MetricStream {
 public:
  using Consumer = std::function<void(const MetricCell&)>;

  MetricStream(Grid grid, Duration interval, std::vector<TrackSpec> tracks, Router router);

  void add(const SampleTable& table);
  /// The same of several, of different hosts at the same time; what comes out is the same to the bit.
  void add(std::span<const SampleTable> tables, Workers* workers);

  /// Hands out every cell that can no longer change once all samples before `watermark` were added.
  void advance(WallTime watermark, const Consumer& consumer);

  /// Hands out what is left at the end of the recording.
  void finish(const Consumer& consumer);

  /// The same in steps, for who takes tracks apart: first what is final, ...
  void settle_before(WallTime watermark);
  /// The cell that `settle_before` would look at: watermarks of one such cell are one to it.
  [[nodiscard]] std::int64_t final_at(WallTime watermark) const;
  void settle_all();
  /// ... then run by run the cells that are: neighbours, at most `most`; empty when there are no more. A run
  /// is valid until it is dropped.
  [[nodiscard]] CellRuns::Run front(std::int64_t most) const;
  /// Moves the run's cells of one track, row by row, into run x members numbers. May be called for several
  /// tracks at the same time, once for each.
  void take(std::size_t track, const CellRuns::Run& run, std::span<double> rows);
  /// After all tracks of a run have been taken: goes on to the next.
  void drop(const CellRuns::Run& run);

  /// Says that the recording goes on before the first sample, and that cells are known in full only from this
  /// one on. Before anything is added.
  void begin_at(std::int64_t sure_from) { sure_from_ = sure_from; }
  /// Whether at this cell or a later one somebody has been stalled (DeviceMeter) for longer than is known.
  [[nodiscard]] bool is_unsure_at(std::int64_t cell) const;

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
    DeviceKind kind = DeviceKind::kDisk;
    bool has_targets = false;  ///< There are tracks of which it alone tells a member's numbers (each_target).
    std::int64_t born = 0;     ///< The cell of the first sample.
    bool stalled = false;
    double stalled_seconds = 0;  ///< For how long nothing has completed, at least.
    std::int64_t last_cell = std::numeric_limits<std::int64_t>::min();
    bool since_known = true;  ///< Since when it has been stalled is known; false for a while after begin_at.
    std::int64_t unsure_to = std::numeric_limits<std::int64_t>::min();  ///< Until here it was not.
  };
  /// A cell that no later sample completed.
  struct SettledCell {
    const std::string* key = nullptr;
    Device* device = nullptr;
    FinishedCell cell;
  };
  /// Per member.
  struct PendingTrack {
    std::vector<CellSeries> sum;
    std::vector<CellSeries> count;    ///< Only for tracks that sum over connections.
    std::vector<CellSeries> packets;  ///< Only for retransmits.
    std::vector<std::uint32_t>
        recorded_by;  ///< The host (host_numbers_) whose tables the member is in; 0: none.
  };
  /// What is needed while a table is taken in, and the cells that it told.
  struct Scratch {
    std::vector<FinishedCell> finished;
    std::vector<WholeColumn> columns;
    CellBlock block;
    std::vector<std::vector<double>> values;  ///< Per target, of the block's cells.
    CellRuns told;
  };

  /// The plan of the devices that were looked at last: mostly it is the next one's too.
  struct PlanCache {
    std::optional<MeterPhase> from;
    std::optional<CellPlan> plan;  ///< Nothing when there is none from there.
  };

  /// Tables of one host, in order, and their devices.
  struct HostTables {
    std::vector<const SampleTable*> tables;
    std::vector<std::vector<Device*>> devices;
    Scratch scratch;
  };

  Device& device(const SampleTable& table, std::size_t d);
  [[nodiscard]] std::vector<Device*> devices_of(const SampleTable& table);
  void add_table(const SampleTable& table, std::span<Device* const> devices, Scratch& scratch);
  void merge(Scratch& scratch);
  void find_targets(Device& device, const SampleTable& table);
  void claim(std::size_t track, std::size_t member, const std::string& host);
  [[nodiscard]] bool is_target(std::size_t track, DeviceKind kind) const;
  /// Calls use(track, member) for all of a device's targets, always in the same order.
  template <class Use>
  void each_target(const Device& device, const Use& use) const;
  [[nodiscard]] bool add_planned(Device& device, const SampleTable& table, std::size_t d, PlanCache& cache,
                                 Scratch& scratch);
  void store_block(Device& device, const CellPlan& plan, Scratch& scratch);
  void store_run(Device& device, const CellPlan& plan, std::size_t first, std::size_t end, Scratch& scratch);
  void store(Device& device, DeviceKind kind, const FinishedCell& finished, CellRuns& told);
  void note_stall(Device& device, std::int64_t cell, const CellValues& values) const;
  void store_connection(std::size_t track, std::size_t member, const FinishedCell& finished, CellRuns& told);
  void store_packets(const Device& device, const FinishedCell& finished, CellRuns& told);
  void settle(const std::function<void(DeviceMeter&, std::vector<FinishedCell>&)>& take);
  [[nodiscard]] bool is_late(std::int64_t cell) const { return started_ && cell < next_; }
  void emit_ready(const Consumer& consumer);
  void forget_dead_connections();

  Grid grid_;
  Duration interval_;
  std::vector<TrackSpec> tracks_;
  std::vector<Formula> formulas_;
  std::vector<std::vector<std::size_t>> tracks_of_group_;
  Router router_;
  std::unordered_map<std::string, Device> devices_;
  std::vector<PendingTrack> pending_;                            ///< Per track.
  std::unordered_map<std::string, std::uint32_t> host_numbers_;  ///< From 1.
  bool hosts_apart_ = true;                                      ///< No member is in the tables of two hosts.
  CellRuns told_;  ///< Cells of which something was told and that were not handed out.
  std::int64_t ready_to_ = std::numeric_limits<std::int64_t>::min();  ///< Cells before this one are final.
  std::int64_t next_ = 0;  ///< Cells before this one have been handed out.
  std::int64_t settled_ = std::numeric_limits<std::int64_t>::min();  ///< Where `settle` was called last.
  std::int64_t forgotten_at_ = 0;  ///< The cell at which closed connections were last looked for.
  bool started_ = false;
  std::int64_t sure_from_ = std::numeric_limits<std::int64_t>::min();
  Scratch scratch_;
  std::vector<SettledCell> settled_cells_;
  std::vector<double> rows_;  ///< Cells x members of all tracks, while they are handed out.
};

}  // namespace laggard::derive
