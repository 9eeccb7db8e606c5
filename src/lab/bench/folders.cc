#include "lab/bench/folders.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <string_view>
#include <system_error>
#include <vector>

namespace laggard::lab::bench {

namespace {

Status check_way(const std::filesystem::path& folder) {
  std::filesystem::path way;
  bool open_to_all = false;
  for (const std::filesystem::path& part : folder) {
    way /= part;
    struct stat s {};
    if (::lstat(way.c_str(), &s) != 0) return fail_errno(errno, way.string(), "cannot be looked at");
    if (open_to_all && s.st_uid != 0 && s.st_uid != ::geteuid()) {
      return fail(ErrorCode::kNoPermission, way.string(),
                  "belongs to another user, who could lead what is written there elsewhere; choose another "
                  "folder");
    }
    if (!S_ISDIR(s.st_mode)) continue;  // A link; its target is checked under its own name.
    open_to_all = (s.st_mode & S_IWOTH) != 0;
    if (open_to_all && ((s.st_mode & S_ISVTX) == 0 || way == folder)) {
      return fail(
          ErrorCode::kNoPermission, way.string(),
          "can be written by all users, who could lead what is written there elsewhere; choose another "
          "folder");
    }
  }
  return {};
}

}  // namespace

Status check_out_folder(const std::filesystem::path& folder) {
  std::error_code error;
  const std::filesystem::path named = std::filesystem::absolute(folder, error).lexically_normal();
  const std::filesystem::path real = std::filesystem::canonical(folder, error);
  if (error) return fail_errno(error.value(), folder.string(), "cannot be looked at");
  // A trailing slash has an empty name after it.
  if (Status safe = check_way(named.has_filename() ? named : named.parent_path()); !safe) return safe;
  return check_way(real);
}

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

namespace {

constexpr const char* kMark = "instance";

Result<Fd> open_root(const Layout& layout) {
  Fd root(::open(layout.root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root.valid()) return fail_errno(errno, layout.root.string(), "cannot be opened");
  return root;
}

std::string base_name(const std::filesystem::path& path) { return path.filename().native(); }

/// The id in the mark of an open state folder; empty when there is no valid one.
std::string mark_of(int folder) {
  const Fd mark(::openat(folder, kMark, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat file {};
  if (!mark.valid() || ::fstat(mark.get(), &file) != 0 || !S_ISREG(file.st_mode)) return {};
  if (file.st_uid != ::geteuid() || (file.st_mode & (S_IWGRP | S_IWOTH)) != 0) return {};
  std::string text(64, '\0');
  const Result<std::size_t> n = read_some(mark.get(), {text.data(), text.size()}, kMark);
  text.resize(n.value_or(0));
  return text;
}

/// Whether only we can have put something into it.
bool private_to_us(int folder) {
  struct stat s {};
  return ::fstat(folder, &s) == 0 && s.st_uid == ::geteuid() && (s.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

Status fill(int folder, const Layout& layout) {
  const std::string where = layout.state().string();
  if (::mkdirat(folder, "log", 0700) != 0 || ::mkdirat(folder, "net", 0700) != 0) {
    return fail_errno(errno, where, "cannot be filled");
  }
  const Fd mark(::openat(folder, kMark, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!mark.valid()) return fail_errno(errno, where, "cannot be marked");
  return write_all(mark.get(), layout.instance + "\n", where);
}

}  // namespace

Status check_root(const std::filesystem::path& root) {
  struct stat s {};
  if (::stat(root.c_str(), &s) != 0) return fail_errno(errno, root.string(), "cannot be looked at");
  const bool trusted = s.st_uid == 0 || s.st_uid == ::geteuid();
  const bool open = (s.st_mode & (S_IWGRP | S_IWOTH)) != 0 && (s.st_mode & S_ISVTX) == 0;
  if (trusted && !open) return {};
  return fail(ErrorCode::kNoPermission, root.string(),
              "can be changed by other users, so nothing in it can be trusted to be the bench's");
}

Status make_state_folder(const Layout& layout) {
  LAGGARD_CHECK(is_instance_id(layout.instance));
  if (Status safe = check_root(layout.root); !safe) return safe;
  const Result<Fd> root = open_root(layout);
  if (!root) return tl::unexpected<Error>(root.error());
  // It is marked under a random name and then renamed, so that it appears complete under its own name.
  const std::string unnamed = base_name(layout.nameless_state());
  if (::mkdirat(root->get(), unnamed.c_str(), 0700) != 0) {
    return fail_errno(errno, layout.nameless_state().string(), "cannot be created");
  }
  const Result<Fd> folder = open_folder(root->get(), unnamed, layout.nameless_state());
  if (!folder) return tl::unexpected<Error>(folder.error());
  if (Status filled = fill(folder->get(), layout); !filled) return filled;
  if (::renameat2(root->get(), unnamed.c_str(), root->get(), base_name(layout.state()).c_str(),
                  RENAME_NOREPLACE) == 0) {
    return {};
  }
  if (errno != EEXIST) return fail_errno(errno, layout.state().string(), "cannot be created");
  return fail(ErrorCode::kBadUse, layout.state().string(),
              "is there already, and no bench that is known made it; it is left alone: remove it by hand, or "
              "choose another --name");
}

Result<StateFolder> whose_state_folder(const Layout& layout) {
  struct stat s {};
  if (::lstat(layout.state().c_str(), &s) != 0) {
    if (errno == ENOENT) return StateFolder::kAbsent;
    return fail_errno(errno, layout.state().string(), "cannot be looked at");
  }
  if (!S_ISDIR(s.st_mode) || !check_root(layout.root)) return StateFolder::kForeign;
  const Result<Fd> root = open_root(layout);
  if (!root) return tl::unexpected<Error>(root.error());
  const Result<Fd> folder = open_folder(root->get(), base_name(layout.state()), layout.state());
  const bool ours =
      folder && private_to_us(folder->get()) && mark_of(folder->get()) == layout.instance + "\n";
  return ours ? StateFolder::kOurs : StateFolder::kForeign;
}

Status remove_state_folder(const Layout& layout) {
  LAGGARD_CHECK(is_instance_id(layout.instance));
  const Result<StateFolder> whose = whose_state_folder(layout);
  if (!whose) return tl::unexpected<Error>(whose.error());
  const Result<Fd> root = open_root(layout);
  if (!root) return tl::unexpected<Error>(root.error());
  const std::string unnamed = base_name(layout.nameless_state());
  // Without its mark it could not be recognised as ours, so it is renamed before its contents are removed.
  if (*whose == StateFolder::kOurs && ::renameat2(root->get(), base_name(layout.state()).c_str(), root->get(),
                                                  unnamed.c_str(), RENAME_NOREPLACE) != 0) {
    return fail_errno(errno, layout.state().string(), "cannot be removed");
  }
  struct stat s {};
  if (::fstatat(root->get(), unnamed.c_str(), &s, AT_SYMLINK_NOFOLLOW) != 0) return {};
  if (!S_ISDIR(s.st_mode) || s.st_uid != ::geteuid()) {
    return fail(ErrorCode::kDamaged, layout.nameless_state().string(),
                "is not the bench's; it is left alone");
  }
  return remove_tree(root->get(), unnamed, layout.nameless_state());
}

}  // namespace laggard::lab::bench
