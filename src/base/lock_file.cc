#include "base/lock_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <thread>
#include <utility>

#include "base/file.h"
#include "base/text.h"

namespace laggard {

namespace {

/// Whether the path names the open file. A path that cannot be examined now gets the benefit of the doubt.
bool names(const std::filesystem::path& path, int fd) {
  struct stat ours {};
  struct stat there {};
  if (::fstat(fd, &ours) != 0) return false;
  if (::lstat(path.c_str(), &there) != 0) return errno != ENOENT && errno != ENOTDIR;
  return ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
}

/// Opens without following a link and without truncating: in a folder that others may write to, the name may
/// have been planted. Without blocking, in case it is a pipe.
Fd open_lock(const std::filesystem::path& path, int flags) {
  return Fd{::open(path.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644)};
}

tl::unexpected<Error> planted(const std::filesystem::path& path, std::string_view what) {
  return fail(ErrorCode::kBadInput, path.string(),
              fmt::format("stands where the lock should be and {}; remove it", what));
}

/// Refuses a file that laggard cannot have made: root must not be led to lock, and finally remove, somebody
/// else's file.
Status check_own(const Fd& fd, const std::filesystem::path& path) {
  struct stat file {};
  if (::fstat(fd.get(), &file) != 0) return fail_errno(errno, path.string(), "cannot look at the lock");
  if (!S_ISREG(file.st_mode)) return planted(path, "is no file");
  if (file.st_nlink > 1) return planted(path, "is a second name of another file");
  if (::geteuid() == 0 && file.st_uid != 0)
    return planted(path, fmt::format("belongs to user {}", file.st_uid));
  return {};
}

/// ` (process 4711)`, where the kernel knows: not for a holder on another machine, and not on every file
/// system.
std::string holder(int fd) {
  struct stat file {};
  const Result<std::string> locks = read_file("/proc/locks");
  if (!locks || ::fstat(fd, &file) != 0) return "";
  const std::string place =
      fmt::format("{:02x}:{:02x}:{}", major(file.st_dev), minor(file.st_dev), file.st_ino);
  for (std::string_view line : split(*locks, '\n')) {
    // 1: FLOCK  ADVISORY  WRITE 4711 fe:01:131073 0 EOF
    std::array<std::string_view, 6> words;
    for (std::string_view& word : words) word = take_word(line);
    if (words[1] == "FLOCK" && words[5] == place) return fmt::format(" (process {})", words[4]);
  }
  return "";
}

/// flock, retried for 50 ms, because a process that only asks whether the lock is held holds it for a moment.
/// \return 0 or errno.
int lock(int fd) {
  constexpr int kAttempts = 10;
  for (int attempt = 1;; ++attempt) {
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return 0;
    if (errno != EINTR && (errno != EWOULDBLOCK || attempt == kAttempts)) return errno;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

tl::unexpected<Error> refused(int error, int fd, const std::string& where, std::string_view doing) {
  if (error == EWOULDBLOCK) {
    return fail(ErrorCode::kUnavailable, where, fmt::format("another laggard{} {}", holder(fd), doing));
  }
  if (error == ENOLCK || error == EOPNOTSUPP || error == ENOSYS) {
    return fail(ErrorCode::kBadUse, where,
                "this file system has no locks, so that a second writer could not be kept out; "
                "write to another one");
  }
  return fail_errno(error, where, "cannot lock");
}

}  // namespace

Result<LockFile> LockFile::acquire(std::filesystem::path path, const std::string& where,
                                   std::string_view doing) {
  LockFile made;
  made.path_ = std::move(path);
  for (;;) {
    Fd fd = open_lock(made.path_, O_RDWR | O_CREAT);
    if (!fd.valid() && errno == ELOOP) return planted(made.path_, "is a link");
    if (!fd.valid()) return fail_errno(errno, made.path_.string(), "cannot create the lock");
    if (const int error = lock(fd.get()); error != 0) return refused(error, fd.get(), where, doing);
    // The previous holder removes the file when it is done, and we may have locked the removed one.
    if (!names(made.path_, fd.get())) continue;
    if (Status own = check_own(fd, made.path_); !own) return forward(own);
    made.fd_ = std::move(fd);
    return made;
  }
}

bool LockFile::is_held(const std::filesystem::path& path) {
  const Fd fd = open_lock(path, O_RDONLY);
  if (!fd.valid()) return false;
  return ::flock(fd.get(), LOCK_SH | LOCK_NB) != 0;
}

bool LockFile::is_current() const { return fd_.valid() && names(path_, fd_.get()); }

bool LockFile::move_to(const std::filesystem::path& path) {
  if (!is_current()) return false;
  // The file is locked before it gets its new name, and replaces none. A process that has it open by the old
  // name finds out, when it gets the lock, that this is no longer its file.
  if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) != 0) return false;
  path_ = path;
  return is_current();
}

LockFile& LockFile::operator=(LockFile&& other) noexcept {
  if (this != &other) {
    release();
    path_ = std::move(other.path_);
    fd_ = std::move(other.fd_);
  }
  return *this;
}

void LockFile::release() {
  // If somebody removed our file, the one there now is another process's and is left alone.
  if (is_current()) ::unlink(path_.c_str());
  fd_.reset();
}

}  // namespace laggard
