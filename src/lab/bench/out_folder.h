#pragma once

#include <filesystem>

#include "base/error.h"

namespace laggard::lab::bench {

/// An error when a folder that we are about to write into can be led elsewhere by any user: it, or a folder
/// on the way to it, can be written by all (as /tmp) and what comes next is another user's. Who owns a folder
/// that is not open to all is trusted: whoever runs the bench has chosen it.
[[nodiscard]] Status check_out_folder(const std::filesystem::path& folder);

/// In a folder of a run that the run made, until it is complete: what is in there may be removed.
inline constexpr const char* kUnfinished = "unfinished";

}  // namespace laggard::lab::bench
