#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "archive/file_name.h"
#include "archive/format.h"
#include "base/error.h"
#include "base/lock_file.h"

namespace laggard::archive {

/// Identifies a file whatever becomes of its path: an open file keeps its inode number.
struct FileId {
  dev_t device = 0;
  ino_t inode = 0;
  bool operator==(const FileId&) const = default;
};
/// The file at `path`, following links; nothing when there is none.
[[nodiscard]] std::optional<FileId> file_at(const std::filesystem::path& path);

/// A state of a file: another one whenever somebody has written to it or replaced it.
struct FileStamp {
  FileId id;
  std::int64_t bytes = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;
  bool operator==(const FileStamp&) const = default;
};
[[nodiscard]] std::optional<FileStamp> stamp_of(const std::filesystem::path& path);

/// The folder of a stream in a recording that is being written. Other programs may remove or replace it
/// meanwhile, and data must not be written where nobody will find it.
class StreamFolder {
 public:
  /// Makes both folders if need be.
  [[nodiscard]] static Result<StreamFolder> open(const std::filesystem::path& recording, Stream stream);

  [[nodiscard]] const std::filesystem::path& path() const { return stream_.path; }

  /// Makes the folders again if they were removed, and accepts other folders in their place.
  /// \param say  called with what has happened.
  /// \return whether it is another folder now; kBadUse when a symbolic link or a file has taken its place;
  ///         other errors may pass.
  [[nodiscard]] Result<bool> keep(const std::function<void(const std::string&)>& say);

 private:
  struct Part {
    std::filesystem::path path;
    FileId id;
  };
  [[nodiscard]] Status remember();

  Part recording_;
  Part stream_;
};

/// Locks the right to write a writer's files in a stream folder, by a lock on a hidden file there.
[[nodiscard]] Result<LockFile> lock_files(const std::filesystem::path& folder, const WriterName& writer);

/// The same, giving up a lock of another writer there.
[[nodiscard]] Result<LockFile> lock_files(const std::filesystem::path& folder, const WriterName& writer,
                                          LockFile spare);

/// Whether some process holds that lock now.
[[nodiscard]] bool are_files_locked(const std::filesystem::path& folder, const WriterName& writer);

}  // namespace laggard::archive
