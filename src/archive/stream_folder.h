#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "archive/format.h"
#include "base/error.h"
#include "base/lock_file.h"

namespace laggard::archive {

/// Which file a path names, whatever becomes of the path: a file that is open keeps its number.
struct FileId {
  dev_t device = 0;
  ino_t inode = 0;
  bool operator==(const FileId&) const = default;
};
/// Of what stands at `path`, following links; nothing when nothing does.
[[nodiscard]] std::optional<FileId> file_at(const std::filesystem::path& path);

/// The folder of a stream in a recording that is being written. Other programs may remove or replace it
/// meanwhile, and what is written must not go where nobody looks for it.
class StreamFolder {
 public:
  /// Makes both folders if need be.
  [[nodiscard]] static Result<StreamFolder> open(const std::filesystem::path& recording, Stream stream);

  [[nodiscard]] const std::filesystem::path& path() const { return stream_.path; }

  /// Makes what was removed again and accepts another folder in its place. \param say  told what has
  /// happened. \return whether it is another folder now; kBadUse when something else stands there, a symbolic
  /// link or a
  ///         file; other errors may heal.
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

/// The right to write a host's files in one stream folder: a lock on a hidden file there.
[[nodiscard]] Result<LockFile> lock_host(const std::filesystem::path& folder, const std::string& host);

/// The same with a lock of another host there, which is given up.
[[nodiscard]] Result<LockFile> lock_host(const std::filesystem::path& folder, const std::string& host,
                                         LockFile spare);

/// Whether some process holds it now.
[[nodiscard]] bool is_host_locked(const std::filesystem::path& folder, const std::string& host);

}  // namespace laggard::archive
