#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "lab/sim/event_queue.h"
#include "lab/sim/random.h"

namespace laggard::lab {

/// How the block layer treats a request.
enum class IoClass : std::uint8_t {
  kSync,         ///< Reads: a queue per process, served in turn.
  kAsync,        ///< Writes: one queue that all processes share.
  kPassThrough,  ///< SCSI commands of the sg driver: go straight to the device and are in no statistics.
};

/// A request that waits for the device.
struct BlockRequest {
  std::int64_t at = 0;
  std::int64_t bytes = 0;
  SimTime since{};
  std::uint32_t first_part = 0;  ///< Chain of the parts that were merged into it.
  std::uint32_t last_part = 0;
  bool write = false;
  bool counted = true;
};

struct ElevatorOptions {
  std::int64_t largest_request = 512 << 10;  ///< max_sectors_kb.
  SimTime sync_slice = std::chrono::milliseconds(100);
  SimTime async_slice = std::chrono::milliseconds(40);
  std::uint32_t async_requests_per_slice = 16;
  /// cfq_fifo_expire: who has waited so long is served first, once in each slice.
  SimTime sync_expires = std::chrono::milliseconds(125);
  SimTime async_expires = std::chrono::milliseconds(250);
};

/// Which request the disk serves next: CFQ as in Linux 2.6.18, the kernel and default scheduler of F §8
/// (block/cfq-iosched.c). Queues take turns; each is served in ascending position from the last request on,
/// wrapping around, for one slice of time, but for the oldest of those that have waited too long, which comes
/// first. A queue of reads that wakes up while writes are served goes before them. Pass-through commands are
/// put at the head of everything, one at a time as the device takes them; CFQ does not see where they move
/// the arm.
class Elevator {
 public:
  explicit Elevator(const ElevatorOptions& options) : options_(options) {}

  /// A queued request that ends where one at `at` would begin and could grow by `bytes`; null when there is
  /// none. Valid until the next call.
  [[nodiscard]] BlockRequest* mergeable(std::uint32_t stream, IoClass io_class, std::int64_t at,
                                        std::int64_t bytes);
  void add(std::uint32_t stream, IoClass io_class, const BlockRequest& request);

  /// Takes the next one out; nothing when all queues are empty.
  [[nodiscard]] std::optional<BlockRequest> next(SimTime now);

 private:
  struct Queue {
    std::vector<BlockRequest> requests;  ///< Ascending by position.
    bool waiting = false;                ///< Has a place in `turns_`, or is being served.
  };

  static constexpr std::uint32_t kAsyncQueue = 0;
  static constexpr std::uint32_t kNobody = UINT32_MAX;

  static std::uint32_t queue_of(std::uint32_t stream, IoClass io_class) {
    return io_class == IoClass::kAsync ? kAsyncQueue : stream + 1;
  }
  [[nodiscard]] bool slice_is_over(SimTime now) const;
  void take_turn(SimTime now);
  /// Of the queue that is served: where the next one to go stands.
  [[nodiscard]] std::vector<BlockRequest>::const_iterator choose(SimTime now) const;

  ElevatorOptions options_;
  std::deque<BlockRequest> pass_through_;
  std::vector<Queue> queues_;
  std::deque<std::uint32_t> turns_;
  std::uint32_t served_ = kNobody;
  SimTime slice_end_{};
  std::uint32_t slice_requests_ = 0;
  std::int64_t last_ = 0;  ///< Where the last request of a file system ended.
};

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
  /// The rate wanders because of vibration, retries and remapped sectors: a log-normal factor of this
  /// relative spread, correlated over `wander_seconds`. It is in no manual; repeated reads of one file show
  /// about this much. Fitted.
  double wander = 0.12;
  double wander_seconds = 3;
  /// This disk's transfer rate relative to the data sheet's: hardware is unequal.
  double speed = 1;
};

/// Milliseconds for the arm to move from one byte position to another; 0 when it does not move.
[[nodiscard]] double seek_ms(const DiskGeometry& disk, std::int64_t from, std::int64_t to);

/// Milliseconds for `bytes` to pass below the head at a position: zones make outer tracks faster, linearly.
[[nodiscard]] double transfer_ms(const DiskGeometry& disk, std::int64_t at, std::int64_t bytes);

/// One read or write.
struct DiskIo {
  std::int64_t at = 0;
  std::int64_t bytes = 0;
  bool write = false;
  IoClass io_class = IoClass::kSync;
  std::uint32_t stream = 0;  ///< The issuing process or thread: reads of one stream share its slices.
  Signal done{};
};

/// The counters of /proc/diskstats, with nanoseconds instead of milliseconds.
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

  /// `io.done` is raised when all of it has been written or read. Requires bytes > 0.
  void submit(const DiskIo& io);

  /// As of now.
  [[nodiscard]] DiskCounters counters() const;

  /// Requests that begin from now on take so many times as long.
  void set_slower(double times) { slower_ = times; }
  /// No request that begins before this time makes progress until then.
  void stand_still_until(SimTime until) { standing_until_ = until; }

  /// Requests for a region that begin from now on take so many times as long. The region is one strip of
  /// kStripBytes in every `one_in`; 0: there is none.
  void set_slow_region(double times, std::uint32_t one_in) {
    region_slower_ = times;
    region_one_in_ = one_in;
  }
  static constexpr std::int64_t kStripBytes = 16 << 20;
  /// Requests that begin from now on fail with that probability, and take so much longer until they are
  /// repeated.
  void set_retries(double probability, SimTime retry) {
    failing_ = probability;
    retry_ = retry;
  }

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
  /// What ails the disk makes of the time that a request would take.
  [[nodiscard]] SimTime ailing(const BlockRequest& request, double ms);
  void account(const BlockRequest& request);
  void advance_clocks();
  void finish_parts(std::uint32_t first);

  EventQueue& queue_;
  DiskGeometry geometry_;
  ElevatorOptions options_;
  Elevator elevator_;
  Random random_;
  std::int64_t head_ = 0;
  double slower_ = 1;
  SimTime standing_until_{};
  double region_slower_ = 1;
  std::uint32_t region_one_in_ = 0;
  double failing_ = 0;
  SimTime retry_{};
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
