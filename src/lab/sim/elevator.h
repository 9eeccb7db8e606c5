#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "lab/sim/event_queue.h"

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

}  // namespace laggard::lab
