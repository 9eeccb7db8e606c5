#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "archive/day_file.h"
#include "archive/join.h"
#include "base/error.h"
#include "model/event.h"
#include "model/profile.h"
#include "model/sample_table.h"

/// A batch is what a writer of any stream is given: a table of samples, events or profiles. It waits in a
/// queue by kind, goes into the file of its day, and becomes blocks together with its neighbours.
namespace laggard::archive {

using Batch = std::variant<SampleTable, EventTable, ProfileTable>;

[[nodiscard]] FileIdentity identity_of(const Batch& batch);
[[nodiscard]] std::string kind_of(const Batch& batch);
/// The number of sample times, events or periods.
[[nodiscard]] std::size_t rows_of(const Batch& batch);
/// The number of values in it.
[[nodiscard]] std::size_t values_of(const Batch& batch);
/// About how much memory it takes.
[[nodiscard]] std::size_t bytes_of(const Batch& batch);
/// Requires a batch that is not empty.
[[nodiscard]] TimeSpan extent_of(const Batch& batch);
/// The time of its first row, after which a file is named.
[[nodiscard]] WallTime start_of(const Batch& batch);
/// The dictionary of events or profiles; null for samples.
[[nodiscard]] const Dictionary* words_of(const Batch& batch);
[[nodiscard]] std::span<const Loss> losses_of(const Batch& batch);

/// Refuses a batch that a block could not hold or a reader would refuse. Errors are kBadInput and name the
/// host.
[[nodiscard]] Status check_batch(const Batch& batch);

/// How many rows make one large block of a stream.
[[nodiscard]] std::size_t block_rows(Stream stream);

/// Splits a batch into parts that each fit into one block of one day, in order of recording. When a clock was
/// set back over midnight, samples make a part for each run, and events one for each day.
[[nodiscard]] std::vector<Batch> by_day(Batch batch);

/// Joins batches of one host, kind and boot that become one block.
class Joiner {
 public:
  [[nodiscard]] bool empty() const { return rows_ == 0; }
  /// Whether this one still fits into the same block; the first one always does.
  [[nodiscard]] bool fits(const Batch& batch) const;
  void add(const Batch& batch);
  /// All of them, one after the other; the joiner is empty afterwards. Requires that it is not empty.
  [[nodiscard]] Batch take();

 private:
  [[nodiscard]] bool has_room_for(const SampleTable& table) const;

  std::size_t rows_ = 0;  ///< A batch of losses alone counts as a row.
  std::size_t values_ = 0;
  std::vector<SampleTable> samples_;
  Union all_;  ///< The counters and devices of `samples_`.
  std::optional<Batch> joined_;
};

}  // namespace laggard::archive
