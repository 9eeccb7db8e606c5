#pragma once

#include <sqlite3.h>

#include <memory>
#include <string>

#include "archive/side_files.h"

namespace laggard::archive {

/// The pages that are laid over a database's file while it is read.
struct Laid {
  std::shared_ptr<const SideFiles> files;  ///< Shared by the readings with and without the log.
  bool with_log = true;
};

/// A read-only SQLite VFS: nothing can be written, made or deleted through it. SQLite alone does not promise
/// that for a read-only connection: beside an empty database it deletes the write-ahead log, and where it may
/// it creates a wal-index.
class ReadingVfs {
 public:
  /// \param base  the name of a registered VFS, nullptr for the default.
  /// \param laid  its pages replace the file's; without `files` SQLite reads side files by itself.
  ReadingVfs(const char* base, Laid laid);
  ReadingVfs(const ReadingVfs&) = delete;
  ReadingVfs& operator=(const ReadingVfs&) = delete;
  ~ReadingVfs() { unlist(); }

  [[nodiscard]] const char* name() const { return name_.c_str(); }
  /// Unregisters the VFS; an open connection no longer needs its name. The connection must be closed before
  /// this object is destroyed.
  void unlist();

 private:
  int open(sqlite3_filename name, sqlite3_file* file, int flags, int* out);

  sqlite3_vfs* base_;
  Laid laid_;
  std::string name_;
  sqlite3_vfs vfs_{};
  bool listed_ = false;
};

}  // namespace laggard::archive
