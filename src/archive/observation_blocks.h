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

/// Blocks of events or profiles in a file, whichever of the two they are.
namespace laggard::archive {

/// \param first_number  see ColumnsHeader. Requires events or profiles.
[[nodiscard]] StoredBlock encode_observations(const Batch& batch, std::uint64_t first_number,
                                              ZstdCodec& codec);

/// A batch that tells of a loss and of nothing else.
[[nodiscard]] Batch loss_alone(const FileIdentity& identity, const std::string& kind, const Loss& loss);

struct LoadedBatch {
  Batch batch;
  std::vector<Error> damage;  ///< Of attributes that are missing from it.
};
/// kDamaged when nothing can be told. \param where  begins all errors.
[[nodiscard]] Result<LoadedBatch> load_batch(const ColumnSource& chunks, const ColumnsHeader& header,
                                             std::string_view where, ZstdCodec& codec);

/// The blocks `ids`, which follow each other in recording, as one; nothing when that would exceed what a
/// block may hold. kDamaged when anything of them is.
[[nodiscard]] Result<std::optional<StoredBlock>> merge_observations(DayFile& file,
                                                                    std::span<const std::int64_t> ids,
                                                                    ZstdCodec& codec);

}  // namespace laggard::archive
