#include "detect/syscalls/call_kinds.h"

#include <algorithm>
#include <array>
#include <utility>

#include "model/address.h"

namespace laggard::detect {

namespace {

// Sorted, for binary searches.
constexpr auto kReads = std::to_array<std::string_view>(
    {"copy_file_range", "pread64", "preadv", "preadv2", "read", "readv", "recvfrom", "recvmmsg", "recvmsg"});
constexpr auto kWrites = std::to_array<std::string_view>(
    {"pwrite64", "pwritev", "pwritev2", "sendfile", "sendmmsg", "sendmsg", "sendto", "write", "writev"});
constexpr auto kFiles = std::to_array<std::string_view>(
    {"access",          "chdir",        "chmod",       "chown",        "creat",     "faccessat", "faccessat2",
     "fallocate",       "fchmod",       "fchmodat",    "fchown",       "fchownat",  "fdatasync", "fgetxattr",
     "flistxattr",      "fremovexattr", "fsetxattr",   "fstat",        "fstatfs",   "fsync",     "ftruncate",
     "futimesat",       "getdents",     "getdents64",  "getxattr",     "lchown",    "lgetxattr", "link",
     "linkat",          "listxattr",    "llistxattr",  "lremovexattr", "lsetxattr", "lstat",     "mkdir",
     "mkdirat",         "mknod",        "mknodat",     "newfstatat",   "open",      "openat",    "openat2",
     "readlink",        "readlinkat",   "removexattr", "rename",       "renameat",  "renameat2", "rmdir",
     "setxattr",        "stat",         "statfs",      "statx",        "symlink",   "symlinkat", "sync",
     "sync_file_range", "syncfs",       "truncate",    "unlink",       "unlinkat",  "utime",     "utimensat",
     "utimes"});
constexpr auto kAnswers =
    std::to_array<std::string_view>({"E2BIG",        "EACCES",         "EAGAIN",      "EALREADY",
                                     "ECHILD",       "EEXIST",         "EINPROGRESS", "EINTR",
                                     "EINVAL",       "EISCONN",        "EISDIR",      "ELOOP",
                                     "ENAMETOOLONG", "ENODATA",        "ENOENT",      "ENOEXEC",
                                     "ENOPROTOOPT",  "ENOSYS",         "ENOTDIR",     "ENOTEMPTY",
                                     "ENOTTY",       "ENXIO",          "EOPNOTSUPP",  "EPERM",
                                     "ERANGE",       "ERESTARTNOHAND", "ERESTARTSYS", "ERESTART_RESTARTBLOCK",
                                     "ESPIPE",       "ESRCH",          "EXDEV"});
constexpr auto kOfConnections =
    std::to_array<std::string_view>({"ECONNABORTED", "ECONNREFUSED", "ECONNRESET", "EHOSTUNREACH", "ENOTCONN",
                                     "EPIPE", "ESHUTDOWN", "ETIMEDOUT"});
constexpr auto kPseudo = std::to_array<std::string_view>({"/dev/", "/proc/", "/sys/"});

static_assert(std::ranges::is_sorted(kReads) && std::ranges::is_sorted(kWrites));
static_assert(std::ranges::is_sorted(kFiles) && std::ranges::is_sorted(kAnswers));
static_assert(std::ranges::is_sorted(kOfConnections));

template <typename Names>
bool has(const Names& sorted, std::string_view name) {
  return std::ranges::binary_search(sorted, name);
}

}  // namespace

CallKind call_kind(std::string_view name) {
  if (has(kReads, name)) return CallKind::kRead;
  if (has(kWrites, name)) return CallKind::kWrite;
  if (has(kFiles, name)) return CallKind::kFile;
  return name == "close" ? CallKind::kClose : CallKind::kOther;
}

bool is_stored_file(std::string_view object) {
  if (object.empty()) return false;
  if (!object.starts_with('/') && object.find(':') != std::string_view::npos) return false;  // `pipe:[7]`
  return std::ranges::none_of(kPseudo, [&](std::string_view where) { return object.starts_with(where); });
}

std::optional<std::string> peer_address(std::string_view object) {
  constexpr std::string_view kArrow = "->";
  if (!object.starts_with("TCP") || !object.ends_with(']')) return std::nullopt;
  const std::size_t begin = object.find(":[");
  const std::size_t arrow = object.find(kArrow);
  if (begin == std::string_view::npos || arrow == std::string_view::npos || arrow < begin + 2)
    return std::nullopt;
  std::string device(object.substr(begin + 2, arrow - begin - 2));
  device.append(">").append(object.substr(arrow + kArrow.size()));
  device.pop_back();  // The bracket.
  auto ends = parse_socket(device);
  if (!ends) return std::nullopt;
  return std::move(ends->peer);
}

bool is_answer(std::string_view errno_name) { return has(kAnswers, errno_name); }

bool is_of_connection(std::string_view errno_name) { return has(kOfConnections, errno_name); }

}  // namespace laggard::detect
