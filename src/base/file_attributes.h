#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "base/error.h"

namespace laggard {

/// Gives a file mode, owner, group, access list and extended attributes of another that it is going to
/// replace. What this user may not give away is left out, but nobody can read or write the result who could
/// not before, except this user. \param from   the other's path, no link. \param there  its status. \param
/// file  a descriptor. \param where  names the file in errors.
[[nodiscard]] Status copy_attributes(const std::filesystem::path& from, const struct stat& there, int file,
                                     const std::string& where);

}  // namespace laggard
