#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <filesystem>
#include <string>

#include "base/error.h"
#include "base/fd.h"

/// Files under which an output is written until it is whole: hidden, beside it, `.laggard-` and 16
/// hexadecimal digits and `.new`. Whoever writes one holds a lock on it, so that what a kill left behind can
/// be told from what is being written.

namespace laggard {

/// Gives a file mode, owner, group, access list and extended attributes of another that it is going to
/// replace. What this user may not give away is left out, but nobody can read or write the result who could
/// not before, except this user. \param from   the other's path, no link. \param there  its status. \param
/// file  a descriptor. \param where  names the file in errors.
[[nodiscard]] Status copy_attributes(const std::filesystem::path& from, const struct stat& there, int file,
                                     const std::string& where);

/// A file that was not there before, locked and empty.
struct TemporaryFile {
  std::string name;  ///< In its folder.
  Fd file;           ///< Invalid when it could not be created; errno says why.
};

/// \param folder  a descriptor. \param mode  as of open, before the umask.
[[nodiscard]] TemporaryFile create_temporary_file(int folder, mode_t mode);

/// Removes temporary files of this user whose writers are gone, as far as that is certain: nobody holds the
/// lock, and nothing was written for a while. (On a parallel file system locks may be known to one client
/// only.)
void remove_stale_temporary_files(int folder);

}  // namespace laggard
