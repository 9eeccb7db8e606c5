#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "archive/runs.h"
#include "model/sample_table.h"

namespace laggard::archive {

/// The indices of counters in the same block that help to code another one, see ColumnHints. The writer
/// chooses them and stores them in the block header, so a reader needs no table of its own; it unpacks them
/// first.
struct References {
  std::vector<std::uint16_t> growth;   ///< This counter's growth is likely a multiple of their sum's.
  std::vector<std::uint16_t> buckets;  ///< The growth of their sum tells the size of this one's.
  bool operator==(const References&) const = default;
  [[nodiscard]] bool empty() const { return growth.empty() && buckets.empty(); }
};

/// The references for counter `names[c]` of a block with the counters `names`, from how the kernel counts:
/// sectors and waiting times grow with requests, busy time with waiting time, and the weighted time of recent
/// kernels is the sum of the others (block/genhd.c).
[[nodiscard]] References find_references(std::string_view kind, const std::vector<std::string_view>& names,
                                         std::size_t c);

/// A counter of a block that is being unpacked.
struct UnpackedCounter {
  const SampleTable* table = nullptr;  ///< Null until it is unpacked.
  std::size_t counter = 0;
};

/// Computes what other counters of a device say about the current column (ColumnHints), but only on demand:
/// most columns are constant and need no hints.
class HintSource {
 public:
  HintSource() = default;
  HintSource(std::vector<UnpackedCounter> growth, std::vector<UnpackedCounter> buckets)
      : growth_counters_(std::move(growth)), bucket_counters_(std::move(buckets)) {}

  /// Selects the column of device `d`, which is present at `runs`; `runs` must stay alive while it is used.
  void select(std::size_t d, const Runs& runs);
  /// Selects a column that has no hints.
  void select_none();
  /// Whether the other counters are there at exactly the times of the column.
  [[nodiscard]] bool fits(std::size_t d, const Runs& runs) const;

  /// The sum of the other counters' increases between neighbouring cells of the column; empty without any.
  [[nodiscard]] std::span<const std::uint64_t> growth();
  /// The buckets of such sums.
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

/// Where a series is present.
[[nodiscard]] Runs runs_of(const SampleTable& table, std::size_t c, std::size_t d);

/// The cells of a series at `runs`, in order; the series itself when it has no holes and is written.
[[nodiscard]] std::span<const std::uint64_t> dense_cells(const SampleTable& table, std::size_t c,
                                                         std::size_t d, const Runs& runs,
                                                         std::vector<std::uint64_t>& scratch);

}  // namespace laggard::archive
