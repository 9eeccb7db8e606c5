#pragma once

#include <memory>
#include <vector>

#include "archive/file_set.h"
#include "model/observation_source.h"

namespace laggard::archive {

/// \param files  outlives the reader.
template <typename Table>
[[nodiscard]] std::unique_ptr<ObservationReader<Table>> make_observation_reader(
    FileSet& files, const ObservationRequest& request);

/// Everything in the files of events and profiles, from block headers. \param verify  read every block as
/// well.
[[nodiscard]] Result<std::vector<ObservationStream>> list_observations(FileSet& files, bool verify);

}  // namespace laggard::archive
