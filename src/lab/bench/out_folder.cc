#include "lab/bench/out_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

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
    if (!S_ISDIR(s.st_mode)) continue;  // A link: whose target is looked at by its own name.
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

}  // namespace laggard::lab::bench
