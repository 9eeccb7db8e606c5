#include "archive/lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "archive/file_name.h"
#include "base/text.h"

namespace laggard::archive {

namespace {

std::filesystem::path lock_path(const std::filesystem::path& folder, const std::string& host) {
  return folder / ("." + escape_host(host) + ".lock");
}

/// Whether `fd` is still the file at `path`: the holder before us removes it when done.
bool is_current(int fd, const std::filesystem::path& path) {
  struct stat ours {};
  struct stat there {};
  return ::fstat(fd, &ours) == 0 && ::stat(path.c_str(), &there) == 0 && ours.st_ino == there.st_ino &&
         ours.st_dev == there.st_dev;
}

std::string holder(int fd) {
  std::array<char, 32> text{};
  const ssize_t n = ::pread(fd, text.data(), text.size(), 0);
  return n > 0 ? " (process " + std::string(trim({text.data(), static_cast<std::size_t>(n)})) + ")" : "";
}

}  // namespace

Result<HostLock> HostLock::acquire(const std::filesystem::path& folder, const std::string& host) {
  HostLock lock;
  lock.path_ = lock_path(folder, host);
  for (;;) {
    Fd fd{::open(lock.path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)};
    if (!fd.valid()) return fail_errno(errno, lock.path_.string(), "cannot create the lock");
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EINTR) continue;
      if (errno != EWOULDBLOCK) return fail_errno(errno, lock.path_.string(), "cannot lock");
      return fail(
          ErrorCode::kUnavailable, folder.string(),
          fmt::format("another laggard{} is writing host {} here; stop it or write to another recording",
                      holder(fd.get()), host));
    }
    if (!is_current(fd.get(), lock.path_)) continue;
    const std::string pid = fmt::format("{}\n", ::getpid());
    // Only for people: the lock holds without it, on a full disk too.
    if (::ftruncate(fd.get(), 0) == 0) static_cast<void>(::pwrite(fd.get(), pid.data(), pid.size(), 0) == 0);
    lock.fd_ = std::move(fd);
    return lock;
  }
}

bool HostLock::is_held(const std::filesystem::path& folder, const std::string& host) {
  const Fd fd{::open(lock_path(folder, host).c_str(), O_RDONLY | O_CLOEXEC)};
  if (!fd.valid()) return false;
  return ::flock(fd.get(), LOCK_SH | LOCK_NB) != 0;
}

HostLock& HostLock::operator=(HostLock&& other) noexcept {
  if (this != &other) {
    release();
    path_ = std::move(other.path_);
    fd_ = std::move(other.fd_);
  }
  return *this;
}

void HostLock::release() {
  if (fd_.valid()) ::unlink(path_.c_str());
  fd_.reset();
}

}  // namespace laggard::archive
