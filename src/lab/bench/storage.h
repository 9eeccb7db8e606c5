#pragma once

#include <string>
#include <vector>

#include "lab/bench/site.h"

namespace laggard::lab::bench {

/// Gives every server a modelled disk: the program that models it, a block device on top, and, where
/// the servers have bricks, a file system on the first part of that. The disks are fast until `set_disks`
/// makes them slow. \param program  models a disk \return the block devices (`loop7`), s1's first
[[nodiscard]] Result<std::vector<std::string>> build_disks(Site& site, const std::filesystem::path& program);

[[nodiscard]] Status set_disks(Site& site, bool fast);

/// What the servers' block devices read ahead.
inline constexpr const char* kReadAheadKilobytes = "128";

/// Writes back dirty pages and empties the servers' caches, so that every run starts cold.
[[nodiscard]] Status drop_caches(Site& site);

}  // namespace laggard::lab::bench
