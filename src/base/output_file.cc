#include "base/output_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/limits.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/text.h"

namespace laggard {

namespace {

constexpr const char* kAccessList = "system.posix_acl_access";
constexpr mode_t kPermissions = 0777;
constexpr mode_t kSetId = 07000;
constexpr mode_t kGroup = 070;
constexpr unsigned kGroupShift = 3;

/// Copies the access list, SELinux's label and the users' own attributes. Losing one is no error: the file
/// system may not support it, and other attributes of the kernel cannot be set.
void copy_extended_attributes(const std::filesystem::path& from, int file) {
  // The folder's default list would let in people whom the old file kept out.
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
    // The old rights were the old group's; another group gets no more than everybody has.
    if (created.st_gid != there.st_gid && ::fchown(file, static_cast<uid_t>(-1), there.st_gid) != 0)
      mode &= ~kGroup | ((mode << kGroupShift) & kGroup);
  }
  copy_extended_attributes(from, file);
  // Even if the mode is right already: setting the owner or the access list may have changed it.
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

/// On failure errno is 0 when the caller should try another name.
Fd create_locked(int folder, const std::string& name, mode_t mode) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  Fd file(::openat(folder, name.c_str(), kFlags, mode));
  if (!file.valid()) {
    if (errno == EEXIST || errno == EINTR) errno = 0;
    return file;
  }
  // A file system without locks is fine: stale files are not removed there either.
  if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) {
    struct stat created {};
    if (::fstat(file.get(), &created) == 0 && created.st_nlink > 0) return file;
  }
  ::unlinkat(folder, name.c_str(), 0);
  errno = 0;
  return {};
}

/// Whether it is a regular file of this user with one name, and was not written to recently.
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
  // Through another descriptor, since reading a folder moves the position in it.
  const int listing = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (listing < 0) return;
  const std::unique_ptr<DIR, CloseFolder> entries(::fdopendir(listing));
  if (!entries) {
    ::close(listing);
    return;
  }
  // No other thread reads this stream of entries.
  while (const dirent* entry = ::readdir(entries.get())) {  // NOLINT(concurrency-mt-unsafe)
    if (is_temporary_name(entry->d_name)) remove_if_stale(folder, entry->d_name);
  }
}

namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // As the kernel has it.

bool in_procfs(const fs::path& folder) {
  struct statfs system {};
  return ::statfs(folder.c_str(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

/// For a link in /proc, whose text is no path: the number of our own descriptor, or the file behind it.
Result<OutputTarget> behind_procfs(OutputTarget target) {
  std::error_code error;
  const fs::path own = fs::canonical("/proc/self/fd", error);
  if (!error && fs::canonical(target.folder(), error) == own)
    target.descriptor = to_number<int>(target.file.filename().native());
  struct stat there {};
  if (::stat(target.file.c_str(), &there) != 0) return fail_errno(errno, target.file.string(), "cannot open");
  target.there = there;
  return target;
}

Result<OutputTarget> follow_links(const fs::path& path) {
  OutputTarget target{path, std::nullopt, std::nullopt};
  for (int links = 0; links <= kMostLinks; ++links) {
    struct stat there {};
    if (::lstat(target.file.c_str(), &there) != 0) {
      if (errno != ENOENT) return fail_errno(errno, path.string(), "cannot open");
      return target;  // A missing folder is reported when it is opened.
    }
    if (!S_ISLNK(there.st_mode)) {
      target.there = there;
      return target;
    }
    if (in_procfs(target.folder())) return behind_procfs(std::move(target));
    std::error_code error;
    const fs::path link = fs::read_symlink(target.file, error);
    if (error) return fail_errno(error.value(), path.string(), "cannot follow the link");
    target.file = link.is_absolute() ? link : target.folder() / link;
  }
  return fail_errno(ELOOP, path.string(), "cannot follow the links");
}

}  // namespace

fs::path OutputTarget::folder() const { return file.has_parent_path() ? file.parent_path() : fs::path("."); }

bool OutputTarget::replaceable() const {
  return !descriptor && (!there || S_ISREG(there->st_mode)) && !(there && in_procfs(folder()));
}

Result<OutputTarget> find_output_target(const fs::path& path) {
  auto target = follow_links(path);
  if (!target) return target;
  if (target->there ? S_ISDIR(target->there->st_mode) : !target->file.has_filename())
    return fail(ErrorCode::kBadUse, path.string(), "is a folder; name a file");
  return target;
}

namespace {

constexpr mode_t kNewFile = 0666;  // Less the umask.
constexpr mode_t kPrivate = 0600;  // Until it gets the mode of the file that it replaces.

/// A folder that may be searched but not listed can be opened too, but cannot be synced.
Fd open_folder(const std::filesystem::path& folder) {
  Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid() && errno == EACCES) fd = Fd(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  return fd;
}

/// Pipes, devices and some file systems have nothing to sync, and say so.
bool cannot_be_synced(int errno_value) {
  return errno_value == EINVAL || errno_value == EROFS || errno_value == ENOSYS ||
         errno_value == EOPNOTSUPP || errno_value == EBADF;
}

}  // namespace

Result<OutputFile> OutputFile::create(const std::filesystem::path& path) {
  auto target = find_output_target(path);
  if (!target) return forward(target);
  OutputFile out(path);
  out.target_ = target->file;
  out.there_ = target->there;
  Status opened = target->replaceable() ? out.open_temporary(target->folder())
                                        : out.open_existing(target->file, target->descriptor);
  if (!opened) return forward(opened);
  return out;
}

OutputFile::~OutputFile() {
  if (file_.valid() && !temporary_.empty()) ::unlinkat(folder_.get(), temporary_.c_str(), 0);
}

Status OutputFile::open_existing(const std::filesystem::path& file, std::optional<int> descriptor) {
  // Append: what another process has written behind its descriptor is not ours to overwrite.
  file_ = Fd(descriptor ? ::fcntl(*descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
                        : ::open(file.c_str(), O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC));
  if (!file_.valid()) return fail_errno(errno, path_.string(), "cannot open");
  return {};
}

Status OutputFile::open_temporary(const std::filesystem::path& folder) {
  folder_ = open_folder(folder);
  if (!folder_.valid()) {
    if (errno != ENOENT && errno != ENOTDIR)
      return fail_errno(errno, path_.string(), "cannot open its folder");
    return fail(ErrorCode::kNotFound, path_.string(),
                fmt::format("there is no folder {}; make it, or write elsewhere", folder.string()));
  }
  // The rights to the file count, not only those to its folder: a read-only file is meant to be kept.
  if (there_ && ::faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) != 0)
    return fail_errno(errno, path_.string(), "cannot overwrite");
  remove_stale_temporary_files(folder_.get());
  TemporaryFile made = create_temporary_file(folder_.get(), there_ ? kPrivate : kNewFile);
  if (!made.file.valid()) {
    return fail_errno(errno, path_.string(),
                      fmt::format("no file can be created in the folder {}", folder.string()));
  }
  temporary_ = std::move(made.name);
  file_ = std::move(made.file);
  return {};
}

Status OutputFile::write(std::string_view bytes) { return write_all(file_.get(), bytes, path_.string()); }

Status OutputFile::sync(int fd) const {
  if (::fsync(fd) == 0 || cannot_be_synced(errno)) return {};
  return fail_errno(errno, path_.string(), "cannot write");
}

Status OutputFile::take_attributes() {
  struct stat now {};
  const std::string name = target_.filename();
  if (::fstatat(folder_.get(), name.c_str(), &now, AT_SYMLINK_NOFOLLOW) == 0) {
    if (!S_ISREG(now.st_mode))
      return fail(ErrorCode::kBadUse, path_.string(), "has become something else than a file meanwhile");
    there_ = now;
  }
  if (!there_) return {};
  return copy_attributes(target_, *there_, file_.get(), path_.string());
}

Status OutputFile::commit() {
  if (temporary_.empty()) return sync(file_.get());
  if (Status taken = take_attributes(); !taken) return taken;
  if (Status synced = sync(file_.get()); !synced) return synced;
  const std::string name = target_.filename();
  if (::renameat(folder_.get(), temporary_.c_str(), folder_.get(), name.c_str()) != 0) {
    if (errno == EBUSY)
      return fail(ErrorCode::kBadUse, path_.string(),
                  "is a mount, which cannot be replaced; mount its folder");
    return fail_errno(errno, path_.string(), "cannot rename into place");
  }
  temporary_.clear();
  return sync(folder_.get());
}

}  // namespace laggard
