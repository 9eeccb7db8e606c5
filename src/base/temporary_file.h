#pragma once

#include <sys/types.h>

#include <string>

#include "base/fd.h"

/// Files under which an output is written until it is whole: hidden, beside it, `.laggard-` and 16
/// hexadecimal digits and `.new`. Whoever writes one holds a lock on it, so that what a kill left behind can
/// be told from what is being written.
namespace laggard {

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
