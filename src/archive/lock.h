#pragma once

#include <filesystem>
#include <string>

#include "base/error.h"
#include "base/fd.h"

namespace laggard::archive {

/// The right to write a host's files in one stream folder, held while a file of that host is open. A lock of
/// the operating system on a hidden file, so that it is gone with its process, however that ends.
class HostLock {
 public:
  [[nodiscard]] static Result<HostLock> acquire(const std::filesystem::path& folder, const std::string& host);
  /// Whether some process holds it now.
  [[nodiscard]] static bool is_held(const std::filesystem::path& folder, const std::string& host);

  HostLock(HostLock&&) noexcept = default;
  HostLock& operator=(HostLock&& other) noexcept;
  HostLock(const HostLock&) = delete;
  HostLock& operator=(const HostLock&) = delete;
  ~HostLock() { release(); }

 private:
  HostLock() = default;
  void release();

  std::filesystem::path path_;
  Fd fd_;
};

}  // namespace laggard::archive
