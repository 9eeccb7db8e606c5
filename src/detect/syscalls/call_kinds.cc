#include "detect/syscalls/call_kinds.h"

#include <algorithm>
#include <array>
#include <utility>

#include "model/address.h"

namespace laggard::detect {

namespace {

using std::string_view_literals::operator""sv;

// Sorted, for binary searches.
constexpr std::array kReads{"copy_file_range"sv, "pread64"sv,  "preadv"sv,   "preadv2"sv, "read"sv,
                            "readv"sv,           "recvfrom"sv, "recvmmsg"sv, "recvmsg"sv};
constexpr std::array kWrites{"pwrite64"sv, "pwritev"sv, "pwritev2"sv, "sendfile"sv, "sendmmsg"sv,
                             "sendmsg"sv,  "sendto"sv,  "write"sv,    "writev"sv};
constexpr std::array kFiles{
    "access"sv,       "chdir"sv,           "chmod"sv,     "chown"sv,      "creat"sv,
    "faccessat"sv,    "faccessat2"sv,      "fallocate"sv, "fchmod"sv,     "fchmodat"sv,
    "fchown"sv,       "fchownat"sv,        "fdatasync"sv, "fgetxattr"sv,  "flistxattr"sv,
    "fremovexattr"sv, "fsetxattr"sv,       "fstat"sv,     "fstatfs"sv,    "fsync"sv,
    "ftruncate"sv,    "futimesat"sv,       "getdents"sv,  "getdents64"sv, "getxattr"sv,
    "lchown"sv,       "lgetxattr"sv,       "link"sv,      "linkat"sv,     "listxattr"sv,
    "llistxattr"sv,   "lremovexattr"sv,    "lsetxattr"sv, "lstat"sv,      "mkdir"sv,
    "mkdirat"sv,      "mknod"sv,           "mknodat"sv,   "newfstatat"sv, "open"sv,
    "openat"sv,       "openat2"sv,         "readlink"sv,  "readlinkat"sv, "removexattr"sv,
    "rename"sv,       "renameat"sv,        "renameat2"sv, "rmdir"sv,      "setxattr"sv,
    "stat"sv,         "statfs"sv,          "statx"sv,     "symlink"sv,    "symlinkat"sv,
    "sync"sv,         "sync_file_range"sv, "syncfs"sv,    "truncate"sv,   "unlink"sv,
    "unlinkat"sv,     "utime"sv,           "utimensat"sv, "utimes"sv};
constexpr std::array kAnswers{
    "E2BIG"sv,        "EACCES"sv,         "EAGAIN"sv,      "EALREADY"sv,
    "ECHILD"sv,       "EEXIST"sv,         "EINPROGRESS"sv, "EINTR"sv,
    "EINVAL"sv,       "EISCONN"sv,        "EISDIR"sv,      "ELOOP"sv,
    "ENAMETOOLONG"sv, "ENODATA"sv,        "ENOENT"sv,      "ENOEXEC"sv,
    "ENOPROTOOPT"sv,  "ENOSYS"sv,         "ENOTDIR"sv,     "ENOTEMPTY"sv,
    "ENOTTY"sv,       "ENXIO"sv,          "EOPNOTSUPP"sv,  "EPERM"sv,
    "ERANGE"sv,       "ERESTARTNOHAND"sv, "ERESTARTSYS"sv, "ERESTART_RESTARTBLOCK"sv,
    "ESPIPE"sv,       "ESRCH"sv,          "EXDEV"sv};
constexpr std::array kOfConnections{"ECONNABORTED"sv, "ECONNREFUSED"sv, "ECONNRESET"sv, "EHOSTUNREACH"sv,
                                    "ENOTCONN"sv,     "EPIPE"sv,        "ESHUTDOWN"sv,  "ETIMEDOUT"sv};
constexpr std::array kPseudo{"/dev/"sv, "/proc/"sv, "/sys/"sv};

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
