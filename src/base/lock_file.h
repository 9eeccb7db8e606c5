#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/file.h"

namespace laggard {

/// The right to write something, held by one process: a lock of the operating system on an empty file, so
/// that it ends with its process, however that ends. The file is removed when the lock is released; a file
/// that a killed process left behind is locked again.
class LockFile {
 public:
  /// \param where  what is locked, for errors. \param doing  what the holder does and what to do about it:
  ///               "is writing host fs1 here; stop it or write to another recording".
  /// \return kUnavailable when another process holds it, naming that process where it is known; kBadUse where
  ///         the file system has no locks, because two writers could not be kept apart there; kBadInput when
  ///         something else has the lock's name: a link, a pipe, a second name of some file, or, for root, a
  ///         file of another user.
  [[nodiscard]] static Result<LockFile> acquire(std::filesystem::path path, const std::string& where,
                                                std::string_view doing);
  /// Whether some process holds it now.
  [[nodiscard]] static bool is_held(const std::filesystem::path& path);

  /// Whether the path still names the locked file. When it does not, somebody has removed or replaced it, and
  /// another process may lock the new one.
  [[nodiscard]] bool is_current() const;

  /// Exchanges this lock for the one at `path` by renaming the file. Meant for thousands of locks one after
  /// the other: file systems are slow at creating files while others are being removed.
  /// \return false, with nothing changed, where that cannot be done; `acquire` then succeeds or says why.
  [[nodiscard]] bool move_to(const std::filesystem::path& path);

  LockFile(LockFile&&) noexcept = default;
  LockFile& operator=(LockFile&& other) noexcept;
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;
  ~LockFile() { release(); }

 private:
  LockFile() = default;
  void release();

  std::filesystem::path path_;
  Fd fd_;
};

}  // namespace laggard
