#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace laggard {

/// Owns a file descriptor.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept;
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { reset(); }

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool valid() const { return fd_ >= 0; }
  void reset();

 private:
  int fd_ = -1;
};

/// Reads as many bytes as are there now, and again when a signal interrupts. \return 0 at the end.
/// \param where  names the file in errors.
[[nodiscard]] Result<std::size_t> read_some(int fd, std::span<char> buffer, const std::string& where);

/// Writes all of `bytes`, however often a write is interrupted or short.
/// \param refusal  how the error's sentence begins.
[[nodiscard]] Status write_all(int fd, std::string_view bytes, const std::string& where,
                               const std::string& refusal = "cannot write");

/// Reads the whole file. Works for /proc and /sys too, whose files claim to be empty. What goes on beyond 256
/// MB (a device), and a pipe that nobody opens to write to within 2 s, are bad input.
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& path);

/// Writes a whole output through an OutputFile: it appears whole or not at all and is synced; a link stays a
/// link and a device a device.
[[nodiscard]] Status write_file(const std::filesystem::path& path, std::string_view content);

/// Renames unless `to` exists. \return 0 or errno; EEXIST when it does.
[[nodiscard]] int rename_without_replacing(const std::filesystem::path& from,
                                           const std::filesystem::path& to);

/// Writes a new file, which appears whole, synced to disk with its folder; a file that exists already is left
/// alone. Its mode is 0644 less the umask. \return whether it was made.
[[nodiscard]] Result<bool> write_new_file(const std::filesystem::path& path, std::string_view content);

/// Syncs a folder, so that names created in it survive a power cut, where the file system supports that.
[[nodiscard]] Status sync_folder(const std::filesystem::path& folder);

}  // namespace laggard
