#include "base/temporary_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <ctime>
#include <memory>
#include <string_view>
#include <utility>

namespace laggard {

namespace {

constexpr std::string_view kPrefix = ".laggard-";
constexpr std::string_view kSuffix = ".new";
constexpr std::size_t kDigits = 16;
constexpr time_t kStaleAfterSeconds = 600;

bool is_temporary_name(std::string_view name) {
  return name.size() == kPrefix.size() + kDigits + kSuffix.size() && name.starts_with(kPrefix) &&
         name.ends_with(kSuffix) &&
         name.substr(kPrefix.size(), kDigits).find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// errno is 0 when a name should be tried again.
Fd create_locked(int folder, const std::string& name, mode_t mode) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  Fd file(::openat(folder, name.c_str(), kFlags, mode));
  if (!file.valid()) {
    if (errno == EEXIST || errno == EINTR) errno = 0;
    return file;
  }
  // Where there are no locks there is no removal of stale files either.
  if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) {
    struct stat created {};
    if (::fstat(file.get(), &created) == 0 && created.st_nlink > 0) return file;
  }
  ::unlinkat(folder, name.c_str(), 0);
  errno = 0;
  return {};
}

/// Owned by this user, a plain file with one name, and not written to of late.
bool looks_stale(const struct stat& file) {
  return S_ISREG(file.st_mode) && file.st_uid == ::geteuid() && file.st_nlink == 1 &&
         std::time(nullptr) - file.st_mtim.tv_sec > kStaleAfterSeconds;
}

void remove_if_stale(int folder, const char* name) {
  struct stat seen {};
  if (::fstatat(folder, name, &seen, AT_SYMLINK_NOFOLLOW) != 0 || !looks_stale(seen)) return;
  // Over NFS an exclusive lock needs a descriptor that may write.
  const Fd file(::openat(folder, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.valid() || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) return;
  struct stat opened {};
  if (::fstat(file.get(), &opened) == 0 && opened.st_ino == seen.st_ino && looks_stale(opened))
    ::unlinkat(folder, name, 0);
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

}  // namespace

TemporaryFile create_temporary_file(int folder, mode_t mode) {
  constexpr int kTries = 100;
  for (int tries = 0; tries < kTries; ++tries) {
    std::uint64_t random = 0;
    if (::getrandom(&random, sizeof random, 0) != sizeof random) continue;
    TemporaryFile temporary{fmt::format("{}{:016x}{}", kPrefix, random, kSuffix), {}};
    temporary.file = create_locked(folder, temporary.name, mode);
    if (temporary.file.valid() || errno != 0) return temporary;
  }
  errno = EEXIST;
  return {};
}

void remove_stale_temporary_files(int folder) {
  // A descriptor of its own, since reading a folder moves its place.
  const int listing = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (listing < 0) return;
  const std::unique_ptr<DIR, CloseFolder> entries(::fdopendir(listing));
  if (!entries) {
    ::close(listing);
    return;
  }
  // Nobody else reads this stream of entries.
  while (const dirent* entry = ::readdir(entries.get())) {  // NOLINT(concurrency-mt-unsafe)
    if (is_temporary_name(entry->d_name)) remove_if_stale(folder, entry->d_name);
  }
}

}  // namespace laggard
