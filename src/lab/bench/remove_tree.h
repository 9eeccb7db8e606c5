#pragma once

#include <filesystem>
#include <string>

#include "base/error.h"
#include "base/fd.h"

namespace laggard::lab::bench {

/// Opens the folder `name` of the folder `parent`, itself: neither a link to one nor what is mounted on it.
/// \param where  names it in errors
[[nodiscard]] Result<Fd> open_folder(int parent, const std::string& name, const std::filesystem::path& where);

/// Removes the folder `name` of the folder `parent` with all that is in it, and nothing else, whatever others
/// do meanwhile: links are removed, not followed, and nothing is removed beyond a mount, which is an error.
/// \param where  names it in errors
[[nodiscard]] Status remove_tree(int parent, const std::string& name, const std::filesystem::path& where);

}  // namespace laggard::lab::bench
