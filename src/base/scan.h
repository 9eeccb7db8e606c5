#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace laggard {

/// Takes the next line off the front of `text`, without its newline.
[[nodiscard]] std::string_view take_line(std::string_view& text);

/// Reads numbers separated by blanks into `values`, at most `values.size()` (<= 32) of them.
/// \return a mask of the places that were read. A word that is no unsigned 64-bit number, such as the
///         negative ones that some kernels showed, leaves its place out and does not shift the others.
[[nodiscard]] std::uint32_t read_numbers(std::string_view text, std::span<std::uint64_t> values);

}  // namespace laggard
