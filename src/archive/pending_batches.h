#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "archive/batch.h"
#include "archive/day_file.h"
#include "base/error.h"
#include "base/time.h"

namespace laggard::archive {

/// What of a day file waits to be written, by kind and in order; and, where a disk stays full for too long,
/// what had to be given up.
class PendingBatches {
 public:
  using TakePiece = std::function<Status(const std::string& kind, Batch piece)>;

  explicit PendingBatches(FileIdentity identity) : identity_(std::move(identity)) {}

  void add(Batch batch, std::uint64_t order);
  /// All of it is in the file now, what was given up included.
  void forget();

  [[nodiscard]] bool empty() const { return bytes_ == 0 && !has_lost(); }
  [[nodiscard]] bool has_lost() const;
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] bool has_full_block() const;
  /// Order number of the oldest batch.
  [[nodiscard]] std::optional<std::uint64_t> oldest() const;
  /// The earliest time at which the first batch of a kind begins; nothing without any.
  [[nodiscard]] std::optional<WallTime> start() const;
  /// From the first to the last row; nothing without any.
  [[nodiscard]] std::optional<TimeSpan> extent() const;

  /// All of every kind, joined to pieces that each make a block, and in order; observations that were given
  /// up are losses of their stream. The first that fails is the last.
  [[nodiscard]] Status for_each_piece(const TakePiece& f) const;

  /// Gives up the oldest batch: samples become a gap, observations a loss of their stream. Requires that
  /// there is one. \return rows lost.
  std::uint64_t drop_oldest(const std::string& reason);
  /// Samples that were given up and are not in the file yet.
  [[nodiscard]] const std::optional<GapRow>& lost_samples() const { return lost_samples_; }
  /// Takes all that was given up as gaps, for want of a file that would have it in its stream.
  [[nodiscard]] std::vector<GapRow> take_lost();

 private:
  struct Pending {
    Batch batch;
    std::uint64_t order;
  };
  struct Queue {
    std::deque<Pending> batches;
    std::size_t rows = 0;
    std::optional<Loss> lost;  ///< Events or periods.
  };

  [[nodiscard]] Status join(const std::string& kind, const Queue& queue, const TakePiece& f) const;
  [[nodiscard]] std::uint64_t lose_samples(const SampleTable& table, const std::string& reason);

  FileIdentity identity_;
  std::map<std::string, Queue> queues_;
  std::size_t bytes_ = 0;
  std::optional<GapRow> lost_samples_;
};

}  // namespace laggard::archive
