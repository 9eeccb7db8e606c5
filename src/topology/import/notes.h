#pragma once

#include <span>
#include <string>
#include <string_view>

namespace laggard::topology {

// Sentences that all importers of topology write into the system file.

/// Names for a comment: folded, and cut where nobody would read on.
[[nodiscard]] std::string listed(std::span<const std::string> names);

/// The first comment of the file.
[[nodiscard]] std::string imported_from(std::string_view filesystem);

/// What no file system's tools know.
[[nodiscard]] std::string missing_in_general();

}  // namespace laggard::topology
