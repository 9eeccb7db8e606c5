#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "archive/runs.h"
#include "model/sample_table.h"

namespace laggard::archive {

/// Indices of counters of the same block that help to code another one: see ColumnHints. What they are is the
/// writer's choice and stands in the block header; a reader unpacks them first and needs no such table.
struct References {
  std::vector<std::uint16_t> growth;   ///< Whose growth this counter's is likely a multiple of, together.
  std::vector<std::uint16_t> buckets;  ///< Whose growth, together, tells how much this one grows.
  bool operator==(const References&) const = default;
  [[nodiscard]] bool empty() const { return growth.empty() && buckets.empty(); }
};

/// What the kernel's way of counting suggests for counter `names[c]` of a block with the counters `names`:
/// sectors go with requests, waiting times with requests, busy time with waiting time, and the weighted time
/// of recent kernels is the sum of the others (block/genhd.c).
[[nodiscard]] References find_references(std::string_view kind, const std::vector<std::string_view>& names,
                                         std::size_t c);

/// A counter of an unpacked block.
struct UnpackedCounter {
  const SampleTable* table = nullptr;  ///< Null as long as it is not unpacked.
  std::size_t counter = 0;
};

/// What other counters of a device tell about the column at hand (column.h), computed only when it is asked
/// for: most columns are constant and need nothing.
class HintSource {
 public:
  HintSource() = default;
  HintSource(std::vector<UnpackedCounter> growth, std::vector<UnpackedCounter> buckets)
      : growth_counters_(std::move(growth)), bucket_counters_(std::move(buckets)) {}

  /// The column of device `d`, which is present at `runs`; they outlive its use.
  void select(std::size_t d, const Runs& runs);
  /// For a column that has no hints.
  void select_none();
  /// Whether the other counters are there at exactly the times of the column.
  [[nodiscard]] bool fits(std::size_t d, const Runs& runs) const;

  /// Sum of the other counters' increases between neighbouring cells of the column; empty when there are
  /// none.
  [[nodiscard]] std::span<const std::uint64_t> growth();
  /// Buckets of such sums.
  [[nodiscard]] std::span<const std::uint8_t> buckets();

 private:
  void sum(const std::vector<UnpackedCounter>& counters, std::vector<std::uint64_t>& out);

  std::vector<UnpackedCounter> growth_counters_;
  std::vector<UnpackedCounter> bucket_counters_;
  std::size_t device_ = 0;
  const Runs* runs_ = nullptr;
  std::vector<std::uint64_t> growth_;
  std::vector<std::uint64_t> magnitudes_;
  std::vector<std::uint8_t> buckets_;
  std::vector<std::uint64_t> dense_;
};

/// The cells of a series at `runs`, in order; the series itself when it has no holes.
[[nodiscard]] std::span<const std::uint64_t> dense_cells(std::span<const std::uint64_t> series,
                                                         const Runs& runs,
                                                         std::vector<std::uint64_t>& scratch);

}  // namespace laggard::archive
