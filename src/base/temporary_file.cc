#include "base/temporary_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/limits.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace laggard {

namespace {

constexpr const char* kAccessList = "system.posix_acl_access";
constexpr mode_t kPermissions = 0777;
constexpr mode_t kSetId = 07000;
constexpr mode_t kGroup = 070;
constexpr unsigned kGroupShift = 3;

/// The access list, SELinux's label and what users have put there. Losing one is no error: the file system
/// may not have them, and the other ones of the kernel cannot be set.
void copy_extended_attributes(const std::filesystem::path& from, int file) {
  // A list that the folder gives to new files would let in people whom the old file kept out.
  ::fremovexattr(file, kAccessList);
  std::vector<char> names(XATTR_LIST_MAX);
  const ssize_t listed = ::llistxattr(from.c_str(), names.data(), names.size());
  if (listed <= 0) return;
  std::vector<char> value(XATTR_SIZE_MAX);
  std::string_view rest(names.data(), static_cast<std::size_t>(listed));
  while (!rest.empty()) {
    const std::string name(rest.substr(0, rest.find('\0')));
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    if (name != kAccessList && name != "security.selinux" && !name.starts_with("user.")) continue;
    const ssize_t size = ::lgetxattr(from.c_str(), name.c_str(), value.data(), value.size());
    if (size >= 0) ::fsetxattr(file, name.c_str(), value.data(), static_cast<std::size_t>(size), 0);
  }
}

}  // namespace

Status copy_attributes(const std::filesystem::path& from, const struct stat& there, int file,
                       const std::string& where) {
  struct stat created {};
  if (::fstat(file, &created) != 0) return fail_errno(errno, where, "cannot look at it");
  mode_t mode = there.st_mode & (kPermissions | kSetId);
  const bool same = created.st_uid == there.st_uid && created.st_gid == there.st_gid;
  if (!same && ::fchown(file, there.st_uid, there.st_gid) != 0) {
    mode &= kPermissions;
    // The group's rights are for that group; another one gets no more than everybody has.
    if (created.st_gid != there.st_gid && ::fchown(file, static_cast<uid_t>(-1), there.st_gid) != 0)
      mode &= ~kGroup | ((mode << kGroupShift) & kGroup);
  }
  copy_extended_attributes(from, file);
  // Always, because a change of the owner or of the access list may have changed it.
  if (::fchmod(file, mode) == 0) return {};
  const int refused = errno;
  if (::fstat(file, &created) == 0 && (created.st_mode & (kPermissions | kSetId)) == mode) return {};
  return fail_errno(refused, where, "cannot keep its mode");
}

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
