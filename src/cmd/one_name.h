#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/time.h"

namespace laggard::cmd {

/// Sentences about hosts that are two under one name: a device of that name was recorded in two files at the
/// same time, and read as one its counters fall back again and again, which those of one device never do. A
/// recording and its copy are no such thing. Of devices that idle in all of the files nothing can be told.
/// \param disorder  archive::Reader::disorder of the recordings: without any, no two files overlap.
[[nodiscard]] Result<std::vector<std::string>> hosts_of_one_name(
    std::span<const std::filesystem::path> recordings, std::span<const TimeSpan> disorder);

}  // namespace laggard::cmd
