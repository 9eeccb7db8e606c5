#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/file.h"

namespace laggard {

/// The right to write something, held by one process: a lock of the operating system on a file of its own, so
/// that it is gone with its process, however that ends. The file is removed with the lock; one that a killed
/// process left behind is taken over. It stays empty.
class LockFile {
 public:
  /// \param where  what is locked, for errors. \param doing  what the holder does and what to do about it:
  ///               "is writing host fs1 here; stop it or write to another recording".
  /// \return kUnavailable when another process has it, naming that process where it is known; kBadUse where
  ///         the file system has no locks: two writers could not be kept apart there; kBadInput when
  ///         something else stands in its place: a link, a pipe, a second name of some file, for root also a
  ///         file of another user.
  [[nodiscard]] static Result<LockFile> acquire(std::filesystem::path path, const std::string& where,
                                                std::string_view doing);
  /// Whether some process holds it now.
  [[nodiscard]] static bool is_held(const std::filesystem::path& path);

  /// Whether the path still names the file that is locked. When it does not, somebody has removed or replaced
  /// it, and another process may lock the new one.
  [[nodiscard]] bool is_current() const;

  /// Gives up what is locked for what `path` locks, by renaming the file, for thousands of locks one after
  /// the other: file systems are slow at making files while others are being removed.
  /// \return false, with nothing changed, where that cannot be done: `acquire` then tells why, or does it.
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
