#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lab/sim/elevator.h"
#include "lab/sim/event_queue.h"
#include "lab/sim/random.h"

namespace laggard::lab {

/// A disk with one arm. Defaults: Seagate Barracuda 7200.10 320 GB, the storage disk of F §8, from its
/// product manual: 7,200 rpm, 78 MB/s sustained at the outer edge (about half at the inner), 0.8 ms track to
/// track, 8.5 ms average seek.
struct DiskGeometry {
  double capacity_bytes = 320e9;
  double outer_bytes_per_second = 78e6;
  double inner_bytes_per_second = 40e6;
  double track_seek_ms = 0.8;
  /// seek(d) = track + long sqrt(d / capacity); sqrt for the arm that accelerates and brakes. The mean over
  /// random pairs of positions, where E sqrt(d) = 8/15, is 8.5 ms.
  double long_seek_ms = 14.5;
  double rotation_ms = 60e3 / 7200;
  /// Command, controller and interrupt.
  double overhead_ms = 0.15;
  /// The rate wanders: vibration, retries, remapped sectors. A log-normal factor of this relative spread that
  /// forgets itself within `wander_seconds`. Not in any manual; of the size that repeated reads of one file
  /// show.
  double wander = 0.12;
  double wander_seconds = 3;
  /// Unequal hardware: this disk's transfer rate against the data sheet's.
  double speed = 1;
};

/// Milliseconds for the arm to move from one byte position to another; 0 when it stays.
[[nodiscard]] double seek_ms(const DiskGeometry& disk, std::int64_t from, std::int64_t to);

/// Milliseconds for `bytes` to pass below the head at a position: zones make outer tracks faster, linearly.
[[nodiscard]] double transfer_ms(const DiskGeometry& disk, std::int64_t at, std::int64_t bytes);

/// One read or write that somebody waits for.
struct DiskIo {
  std::int64_t at = 0;
  std::int64_t bytes = 0;
  bool write = false;
  IoClass io_class = IoClass::kSync;
  std::uint32_t stream = 0;  ///< The process or thread that asks: reads of one stream share its turns.
  Signal done{};
};

/// What /proc/diskstats shows, in nanoseconds where that shows milliseconds.
struct DiskCounters {
  std::uint64_t rd_ios = 0;
  std::uint64_t rd_merges = 0;
  std::uint64_t rd_sectors = 0;
  std::uint64_t rd_ns = 0;
  std::uint64_t wr_ios = 0;
  std::uint64_t wr_merges = 0;
  std::uint64_t wr_sectors = 0;
  std::uint64_t wr_ns = 0;
  std::uint64_t in_flight = 0;
  std::uint64_t io_ns = 0;
  std::uint64_t weighted_ns = 0;
};

/// A disk behind the block layer: requests of at most 512 KB in CFQ's queues, one at a time at the device.
///
/// Service time of a request = overhead + [seek(distance) + rotation U(0, 8.3 ms)] + bytes / (rate(zone) w),
/// where w wanders (an Ornstein-Uhlenbeck process in its logarithm) and the bracket is left out when it
/// starts where the last one ended. Waiting is counted from submission to completion, per request after
/// merging, as the kernel counts it. Pass-through commands take their time but appear in no counter (Linux
/// counts file-system requests only): that is what makes a disk-busy fault invisible but for the waiting it
/// causes (F §5).
class Disk final : public EventHandler {
 public:
  Disk(EventQueue& queue, const DiskGeometry& geometry, const ElevatorOptions& elevator, Random random);
  Disk(const Disk&) = delete;
  Disk& operator=(const Disk&) = delete;

  /// `io.done` is raised when all of it is on the disk or in memory. Requires bytes > 0.
  void submit(const DiskIo& io);

  /// As of now.
  [[nodiscard]] DiskCounters counters() const;

  /// A request at the device has finished.
  void on_event(std::uint32_t kind, std::uint64_t about) override;

 private:
  struct Operation {
    Signal done;
    std::uint32_t pieces = 0;
  };
  struct Part {
    std::uint32_t operation = 0;
    std::uint32_t next = 0;
  };
  static constexpr std::uint32_t kEnd = UINT32_MAX;

  void add_request(const DiskIo& io, std::int64_t at, std::int64_t bytes, std::uint32_t operation);
  void start_next();
  void account(const BlockRequest& request);
  void advance_clocks();
  void finish_parts(std::uint32_t first);

  EventQueue& queue_;
  DiskGeometry geometry_;
  ElevatorOptions options_;
  Elevator elevator_;
  Random random_;
  std::int64_t head_ = 0;
  std::optional<BlockRequest> active_;
  DiskCounters counters_;
  SimTime counted_until_{};
  Wander wander_;  ///< Of the rate.
  std::vector<Operation> operations_;
  std::vector<std::uint32_t> free_operations_;
  std::vector<Part> parts_;
  std::vector<std::uint32_t> free_parts_;
};

}  // namespace laggard::lab
