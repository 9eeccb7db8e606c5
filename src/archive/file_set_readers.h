#pragma once

#include <memory>
#include <vector>

#include "archive/file_set.h"
#include "model/observation_source.h"
#include "model/series_source.h"

namespace laggard::archive {

// What can be read from a set of files: the inventory, the samples, the events and the profiles.

/// Everything in the files of samples, from block headers.
/// \param verify  also check every chunk's checksum.
[[nodiscard]] Result<Inventory> take_inventory(FileSet& files, bool verify);

/// \param files  outlives the reader.
[[nodiscard]] std::unique_ptr<TableReader> make_table_reader(FileSet& files, ReadRequest request);

/// \param files  outlives the reader.
template <typename Table>
[[nodiscard]] std::unique_ptr<ObservationReader<Table>> make_observation_reader(
    FileSet& files, const ObservationRequest& request);

/// Everything in the files of events and profiles, from block headers. \param verify  read every block as
/// well.
[[nodiscard]] Result<std::vector<ObservationStream>> list_observations(FileSet& files, bool verify);

}  // namespace laggard::archive
