#pragma once

#include "base/file.h"

namespace laggard::collect {

/// A file that a ping writes to, open for direct I/O where the file system allows that.
struct PingFile {
  Fd fd;
  int error = 0;  ///< errno when it could not be opened.
  bool direct = true;
};

/// Opens `name` in the directory. \param flags  O_CREAT | O_EXCL to make it, or 0.
/// Where O_DIRECT is refused (tmpfs of older kernels, some FUSE servers) the file is opened with O_DSYNC
/// instead, so that a write still reaches the server before it returns.
[[nodiscard]] PingFile open_ping_file(int directory, const char* name, int flags);

/// Writes one block at the start of the file: the smallest of 512, 1024, 2048, 4096 and 65,536 bytes that
/// direct I/O accepts there, or 512 bytes without it. K writes 64 bytes, which no block device takes
/// directly. The block begins with `text` and is zero after that.
/// \return 0 or errno; `file.direct` becomes false when no block was accepted and the file went without.
[[nodiscard]] int write_ping_block(PingFile& file, std::string_view text);

}  // namespace laggard::collect
