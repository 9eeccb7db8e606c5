#include "lab/bench/remove_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string_view>
#include <vector>

namespace laggard::lab::bench {

namespace {

/// Every level holds a file open.
constexpr int kDeepest = 200;

/// Which the caller checks is there.
Result<std::vector<std::string>> names_in(int folder, const std::filesystem::path& where) {
  const int again = ::fcntl(folder, F_DUPFD_CLOEXEC, 0);
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(again < 0 ? nullptr : ::fdopendir(again), &::closedir);
  if (stream == nullptr) return fail_errno(errno, where.string(), "cannot be read");
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(stream.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  return names;
}

Status remove_level(int parent, const std::string& name, const std::filesystem::path& where, int depth) {
  if (::unlinkat(parent, name.c_str(), 0) == 0 || errno == ENOENT) return {};
  if (errno != EISDIR && errno != EPERM) return fail_errno(errno, where.string(), "cannot be removed");
  if (depth == kDeepest) return fail(ErrorCode::kBadInput, where.string(), "is too deep to be removed");
  const Result<Fd> folder = open_folder(parent, name, where);
  if (!folder) return tl::unexpected<Error>(folder.error());
  const Result<std::vector<std::string>> names = names_in(folder->get(), where);
  if (!names) return tl::unexpected<Error>(names.error());
  for (const std::string& inner : *names) {
    if (Status removed = remove_level(folder->get(), inner, where / inner, depth + 1); !removed)
      return removed;
  }
  if (::unlinkat(parent, name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) return {};
  return fail_errno(errno, where.string(), "cannot be removed");
}

}  // namespace

Result<Fd> open_folder(int parent, const std::string& name, const std::filesystem::path& where) {
  open_how how{};
  how.flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV;
  Fd folder(static_cast<int>(::syscall(SYS_openat2, parent, name.c_str(), &how, sizeof how)));
  if (folder.valid()) return folder;
  if (errno == EXDEV) return fail(ErrorCode::kUnavailable, where.string(), "has something mounted on it");
  if (errno == ELOOP || errno == ENOTDIR) return fail(ErrorCode::kDamaged, where.string(), "is no folder");
  return fail_errno(errno, where.string(), "cannot be opened");
}

Status remove_tree(int parent, const std::string& name, const std::filesystem::path& where) {
  return remove_level(parent, name, where, 0);
}

}  // namespace laggard::lab::bench
