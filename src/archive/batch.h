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

/// What a writer of any stream takes, and all that it needs to know of it: it waits in a queue by kind, goes
/// into the file of its day, and becomes blocks together with its neighbours.
namespace laggard::archive {

using Batch = std::variant<SampleTable, EventTable, ProfileTable>;

[[nodiscard]] FileIdentity identity_of(const Batch& batch);
[[nodiscard]] std::string kind_of(const Batch& batch);
/// Sample times, events or periods.
[[nodiscard]] std::size_t rows_of(const Batch& batch);
/// Numbers in it.
[[nodiscard]] std::size_t values_of(const Batch& batch);
/// About what it takes in memory.
[[nodiscard]] std::size_t bytes_of(const Batch& batch);
/// Requires a batch that is not empty.
[[nodiscard]] TimeSpan extent_of(const Batch& batch);
/// When its first row was, by which a file is named.
[[nodiscard]] WallTime start_of(const Batch& batch);
/// Of events or profiles; none for samples.
[[nodiscard]] const Dictionary* words_of(const Batch& batch);
[[nodiscard]] std::span<const Loss> losses_of(const Batch& batch);

/// Refuses what a block could not hold or a reader would refuse. Errors are kBadInput and name the host.
[[nodiscard]] Status check_batch(const Batch& batch);

/// The parts of a batch that go into one block and one day each, in order of recording: of a clock that was
/// set back over midnight samples make a part for each run, and events one for each day.
[[nodiscard]] std::vector<Batch> by_day(Batch batch);

/// Batches of one host, kind and boot that become one block.
class Joiner {
 public:
  [[nodiscard]] bool empty() const { return rows_ == 0; }
  /// Whether one more still goes into the same block; the first one always does.
  [[nodiscard]] bool fits(const Batch& batch) const;
  void add(const Batch& batch);
  /// One after the other, and nothing is left; requires that there are some.
  [[nodiscard]] Batch take();

 private:
  [[nodiscard]] bool has_room_for(const SampleTable& table) const;

  std::size_t rows_ = 0;  ///< Losses by themselves are a row here.
  std::size_t values_ = 0;
  std::vector<SampleTable> samples_;
  Union all_;  ///< Of `samples_`.
  std::optional<Batch> joined_;
};

}  // namespace laggard::archive
