#include "base/file_attributes.h"

#include <linux/limits.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <string_view>
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

}  // namespace laggard
