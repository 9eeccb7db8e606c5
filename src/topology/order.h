#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace laggard::topology {

/// Reads positions in a list of `count`, counted from 1, as `1-4,7` writes them, into indices counted from 0.
/// Positions beyond the list and repeated ones are errors.
[[nodiscard]] Result<std::vector<std::uint32_t>> parse_positions(std::string_view text, std::size_t count);

}  // namespace laggard::topology
