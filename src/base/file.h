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

/// As many bytes as there are now, over interruptions by signals; 0 at the end.
/// \param where  names the file in errors.
[[nodiscard]] Result<std::size_t> read_some(int fd, std::span<char> buffer, const std::string& where);

/// All of them, over interruptions and short writes. \param refusal  what the error says of a failure.
[[nodiscard]] Status write_all(int fd, std::string_view bytes, const std::string& where,
                               const std::string& refusal = "cannot write");

/// The whole file. Works for /proc and /sys too, whose sizes read as zero.
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& path);

/// A whole output (base/output_file.h): there as a whole or not at all, synced, with links and devices kept
/// what they are.
[[nodiscard]] Status write_file(const std::filesystem::path& path, std::string_view content);

/// Renames unless something stands at `to`. \return 0 or errno; EEXIST when something does.
[[nodiscard]] int rename_without_replacing(const std::filesystem::path& from,
                                           const std::filesystem::path& to);

/// A new file of this content, which appears as a whole, synced to disk with its folder; what stands there
/// already is left alone. 0644 less the umask. \return whether it was made.
[[nodiscard]] Result<bool> write_new_file(const std::filesystem::path& path, std::string_view content);

/// Makes names that were created in a folder survive a power cut, where the file system can.
[[nodiscard]] Status sync_folder(const std::filesystem::path& folder);

}  // namespace laggard
