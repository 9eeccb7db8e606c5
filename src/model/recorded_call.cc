#include "model/recorded_call.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace laggard {

namespace {

// Sorted, for binary searches.
constexpr auto kReads = std::to_array<std::string_view>({"pread64", "preadv", "preadv2", "read", "readv"});
constexpr auto kReceives = std::to_array<std::string_view>({"recv", "recvfrom", "recvmmsg", "recvmsg"});
constexpr auto kWrites =
    std::to_array<std::string_view>({"pwrite64", "pwritev", "pwritev2", "write", "writev"});
constexpr auto kSends =
    std::to_array<std::string_view>({"send", "sendfile", "sendmmsg", "sendmsg", "sendto"});
constexpr auto kOpens = std::to_array<std::string_view>({"creat", "open", "openat", "openat2"});
constexpr auto kFiles = std::to_array<std::string_view>(
    {"access",       "chdir",        "chmod",     "chown",           "copy_file_range",
     "faccessat",    "faccessat2",   "fallocate", "fchmod",          "fchmodat",
     "fchown",       "fchownat",     "fdatasync", "fgetxattr",       "flistxattr",
     "fremovexattr", "fsetxattr",    "fstat",     "fstatfs",         "fsync",
     "ftruncate",    "futimesat",    "getdents",  "getdents64",      "getxattr",
     "lchown",       "lgetxattr",    "link",      "linkat",          "listxattr",
     "llistxattr",   "lremovexattr", "lsetxattr", "lstat",           "mkdir",
     "mkdirat",      "mknod",        "mknodat",   "newfstatat",      "readlink",
     "readlinkat",   "removexattr",  "rename",    "renameat",        "renameat2",
     "rmdir",        "setxattr",     "stat",      "statfs",          "statx",
     "symlink",      "symlinkat",    "sync",      "sync_file_range", "syncfs",
     "truncate",     "unlink",       "unlinkat",  "utime",           "utimensat",
     "utimes"});
constexpr auto kCloses = std::to_array<std::string_view>({"close", "shutdown"});
constexpr auto kPseudo = std::to_array<std::string_view>({"/dev/", "/proc/", "/sys/"});

static_assert(std::ranges::is_sorted(kReads) && std::ranges::is_sorted(kReceives));
static_assert(std::ranges::is_sorted(kWrites) && std::ranges::is_sorted(kSends));
static_assert(std::ranges::is_sorted(kOpens) && std::ranges::is_sorted(kFiles));
static_assert(std::ranges::is_sorted(kCloses));

}  // namespace

CallKind call_kind(std::string_view name) {
  const auto is_in = [&](const auto& sorted) { return std::ranges::binary_search(sorted, name); };
  if (is_in(kReads)) return CallKind::kRead;
  if (is_in(kReceives)) return CallKind::kReceive;
  if (is_in(kWrites)) return CallKind::kWrite;
  if (is_in(kSends)) return CallKind::kSend;
  if (is_in(kOpens)) return CallKind::kOpen;
  if (is_in(kFiles)) return CallKind::kFile;
  return is_in(kCloses) ? CallKind::kClose : CallKind::kOther;
}

bool is_stored_file(std::string_view object) {
  if (object.empty()) return false;
  if (!object.starts_with('/') && object.find(':') != std::string_view::npos) return false;  // `pipe:[7]`
  return std::ranges::none_of(kPseudo, [&](std::string_view where) { return object.starts_with(where); });
}

std::optional<TcpObject> tcp_object(std::string_view object) {
  constexpr std::string_view kArrow = "->";
  const std::size_t open = object.find(":[");
  if (!object.starts_with("TCP") || open == std::string_view::npos || !object.ends_with(']')) return {};
  const std::string_view both = object.substr(open + 2, object.size() - open - 3);
  const std::size_t arrow = both.find(kArrow);
  if (arrow == std::string_view::npos) return std::nullopt;
  const std::string_view local = both.substr(0, arrow);
  const std::string_view peer = both.substr(arrow + kArrow.size());
  auto addresses = parse_socket(std::string(local) + '>' + std::string(peer));
  if (!addresses) return std::nullopt;
  return TcpObject{local, peer, std::move(*addresses)};
}

}  // namespace laggard
