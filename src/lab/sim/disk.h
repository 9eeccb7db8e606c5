#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lab/sim/disk_geometry.h"
#include "lab/sim/elevator.h"
#include "lab/sim/event_queue.h"
#include "lab/sim/random.h"
#include "lab/sim/wander.h"

namespace laggard::lab {

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
