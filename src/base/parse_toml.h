#pragma once

#include <toml++/toml.h>
#include <string_view>

#include "base/error.h"

namespace laggard {

/// Parses a TOML file into a table. This is the only way to toml++, which parses and destroys nested values
/// by recursion and so crashes on a key of 50,000 parts. Files of more than 32 MiB, with values nested more
/// than 32 deep or with a key of more than 32 parts are refused; our own files have three of each.
/// \param path  names the file in errors, which are kBadInput at `path:line`.
[[nodiscard]] Result<toml::table> parse_toml(std::string_view text, std::string_view path);

}  // namespace laggard
