#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace laggard::collect {

/// What xz packed; nothing when the bytes are damaged or unpack to more than `most` bytes.
[[nodiscard]] std::optional<std::string> unpack_xz(std::string_view packed, std::size_t most);

}  // namespace laggard::collect
