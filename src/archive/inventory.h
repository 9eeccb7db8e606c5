#pragma once

#include "archive/file_set.h"
#include "model/series_source.h"

namespace laggard::archive {

/// Everything in the files of samples, from block headers. \param verify  hold every chunk against its
/// checksum as well.
[[nodiscard]] Result<Inventory> take_inventory(FileSet& files, bool verify);

}  // namespace laggard::archive
