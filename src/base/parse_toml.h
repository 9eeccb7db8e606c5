#pragma once

#include <toml++/toml.h>
#include <string_view>

#include "base/error.h"

namespace laggard {

/// A TOML file as a table: the only way to the library, which takes apart and destroys nested values by
/// recursion and so crashes on a key of 50,000 parts. Files are refused that have more than 32 MiB, more than
/// 32 values inside of each other, or a key of more than 32 parts; what we read has three of each.
/// \param path  names the file in errors, which are kBadInput at `path:line`.
[[nodiscard]] Result<toml::table> parse_toml(std::string_view text, std::string_view path);

}  // namespace laggard
