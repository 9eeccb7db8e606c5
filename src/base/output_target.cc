#include "base/output_target.h"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <cerrno>
#include <system_error>

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

}  // namespace laggard
