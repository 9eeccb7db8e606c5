#pragma once

#include <filesystem>
#include <vector>

#include "topology/import/saved_text.h"

namespace laggard::topology {

/// The files of a saved /proc/fs/lustre, /sys/fs/lustre or /sys/kernel/debug/lustre that tell of topology, as
/// the parameters that they are: `osd-zfs/l-OST0000/mntdev` is `osd-zfs.l-OST0000.mntdev`. The folder is one
/// of these trees or holds some of them anywhere below. Links are not followed.
[[nodiscard]] Result<std::vector<SavedText>> read_saved_tree(const std::filesystem::path& folder,
                                                             const std::string& host);

}  // namespace laggard::topology
