#include "base/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/temporary_file.h"
#include "base/text.h"

namespace laggard {

namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // As the kernel has it.

bool in_procfs(const fs::path& folder) {
  struct statfs system {};
  return ::statfs(folder.c_str(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

/// Of a link in /proc, whose text is no path: the number of an own descriptor, or the file behind it.
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
      return target;  // A folder that is not there is found by whoever opens it.
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
constexpr mode_t kPrivate = 0600;  // Until it has the mode of the file that it replaces.

/// Also one that may be searched but not listed, which then cannot be synced.
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
  // To the end of whatever is behind another process's descriptor: what it wrote is not ours to overwrite.
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
  // By the rights of the file and not of its folder alone: who took them away wanted it kept.
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
