#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/batch.h"
#include "archive/columns.h"
#include "archive/day_file.h"
#include "base/error.h"
#include "model/event.h"
#include "model/profile.h"

/// Events and profiles as columns of a block.
///
/// events    time duration subject what, and for each attribute `#KEY` (which events have it) and `=KEY` (its
///           values)
/// profiles  start length subject end, and over all periods seen and count; end: of a period's entries
/// both      lost.from lost.to lost.count lost.reason
///
/// Columns by other names are a later version's and are passed over.

namespace laggard::archive {

/// \param first_number  see ColumnsHeader. Requires a table that is not empty.
[[nodiscard]] Columns to_columns(const EventTable& table, std::uint64_t first_number);
[[nodiscard]] Columns to_columns(const ProfileTable& table, std::uint64_t first_number);

template <typename Table>
inline constexpr Stream kStreamOf = Stream::kEvents;
template <>
inline constexpr Stream kStreamOf<ProfileTable> = Stream::kProfiles;

template <typename Table>
struct LoadedObservations {
  Table table;
  std::vector<Error> damage;  ///< Of attributes that are missing from it.
};

/// The table of a block; kDamaged when an indispensable column is damaged. Requires header.stream to be the
/// table's.
/// \param where  begins all errors.
template <typename Table>
[[nodiscard]] Result<LoadedObservations<Table>> load_observations(const ColumnSource& chunks,
                                                                  const ColumnsHeader& header,
                                                                  std::string_view where, ZstdCodec& codec);

/// Blocks of events or profiles in a file, whichever of the two they are.

/// \param first_number  see ColumnsHeader. Requires events or profiles.
[[nodiscard]] StoredBlock encode_observations(const Batch& batch, std::uint64_t first_number,
                                              ZstdCodec& codec);

/// A batch that contains a loss and nothing else.
[[nodiscard]] Batch loss_alone(const FileIdentity& identity, const std::string& kind, const Loss& loss);

struct LoadedBatch {
  Batch batch;
  std::vector<Error> damage;  ///< Of attributes that are missing from it.
};
/// The same for either stream, as a batch.
[[nodiscard]] Result<LoadedBatch> load_batch(const ColumnSource& chunks, const ColumnsHeader& header,
                                             std::string_view where, ZstdCodec& codec);

/// Merges the blocks `ids`, which are consecutive in recording; nothing when that would exceed what a block
/// may hold. kDamaged when anything in them is damaged.
[[nodiscard]] Result<std::optional<StoredBlock>> merge_observations(DayFile& file,
                                                                    std::span<const std::int64_t> ids,
                                                                    ZstdCodec& codec);

}  // namespace laggard::archive
