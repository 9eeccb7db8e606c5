#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

namespace laggard::collect {

/// Where Lustre has its statistics, below the root of a machine: they moved from /proc to debugfs step by
/// step, over several versions.
inline constexpr std::array<const char*, 2> kLustreFolders{"proc/fs/lustre", "sys/kernel/debug/lustre"};

/// Names of the folders in a folder, in natural order; none when it does not exist.
[[nodiscard]] std::vector<std::string> folders_in(const std::filesystem::path& folder);

}  // namespace laggard::collect
