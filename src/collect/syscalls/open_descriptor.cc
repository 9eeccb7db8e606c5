#include "collect/syscalls/open_descriptor.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "base/file.h"
#include "base/text.h"
#include "base/time.h"
#include "collect/syscalls/descriptor_text.h"
#include "wire/syscall_record.h"

namespace laggard::collect {

namespace {

namespace fs = std::filesystem;

/// A copy of another process's descriptor.
Fd copy_of(pid_t process, int descriptor) {
  const Fd other{static_cast<int>(::syscall(SYS_pidfd_open, process, 0))};
  if (!other.valid()) return {};
  return Fd{static_cast<int>(::syscall(SYS_pidfd_getfd, other.get(), descriptor, 0))};
}

int option_of(int socket, int option) {
  int value = 0;
  socklen_t size = sizeof value;
  return ::getsockopt(socket, SOL_SOCKET, option, &value, &size) == 0 ? value : 0;
}

union Address {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;
  sockaddr_un local;
  sockaddr_storage storage;
};

void put_address(const Address& from, std::uint8_t* address, std::uint16_t& port) {
  if (from.any.sa_family == AF_INET) {
    std::memcpy(address, &from.v4.sin_addr, sizeof from.v4.sin_addr);
    port = ntohs(from.v4.sin_port);
  } else if (from.any.sa_family == AF_INET6) {
    std::memcpy(address, &from.v6.sin6_addr, sizeof from.v6.sin6_addr);
    port = ntohs(from.v6.sin6_port);
  }
}

/// \return the address of a Unix socket that has one
std::string describe_socket(int socket, wire::DescriptorRecord& record) {
  record.family = static_cast<std::uint16_t>(option_of(socket, SO_DOMAIN));
  record.socket_type = static_cast<std::uint16_t>(option_of(socket, SO_TYPE));
  record.protocol = static_cast<std::uint16_t>(option_of(socket, SO_PROTOCOL));
  Address address{};
  socklen_t size = sizeof address;
  if (::getsockname(socket, &address.any, &size) == 0) {
    put_address(address, record.local, record.local_port);
    if (address.any.sa_family == AF_UNIX && size > sizeof(sa_family_t)) {
      const std::size_t bytes =
          std::min(size, static_cast<socklen_t>(sizeof(sockaddr_un))) - sizeof(sa_family_t);
      std::string text(address.local.sun_path, bytes);
      if (text.front() == '\0') text.front() = '@';
      return text.substr(0, text.find('\0')) + '\0';
    }
  }
  address = {};
  size = sizeof address;
  if (::getpeername(socket, &address.any, &size) == 0) put_address(address, record.peer, record.peer_port);
  return {};
}

/// The path's names from its end to its root.
std::string names_of(std::string_view path) {
  std::string names;
  std::vector<std::string_view> parts = split(path, '/');
  std::ranges::reverse(parts);
  for (const std::string_view part : parts) {
    if (!part.empty()) names.append(part).push_back('\0');
  }
  return names;
}

/// Of `socket:[7]` and `pipe:[7]` the 7.
std::uint64_t inode_of(std::string_view link) {
  const std::size_t open = link.find('[');
  if (open == std::string_view::npos || !link.ends_with(']')) return 0;
  return to_number<std::uint64_t>(link.substr(open + 1, link.size() - open - 2)).value_or(0);
}

/// \return the names of its path, or its own where it has none: `[eventfd]`
std::string describe_file(std::string_view link, wire::DescriptorRecord& record) {
  constexpr std::string_view kAnonymous = "anon_inode:";
  constexpr std::string_view kDeleted = " (deleted)";
  if (link.starts_with("pipe:[")) {
    record.magic = kPipeMagic;
    record.inode = inode_of(link);
    return {};
  }
  if (link.starts_with(kAnonymous)) {
    record.magic = ANON_INODE_FS_MAGIC;
    return std::string(link.substr(kAnonymous.size())) + '\0';
  }
  if (link.ends_with(kDeleted)) {
    link.remove_suffix(kDeleted.size());
    record.head.flags |= wire::kDeletedFlag;
  }
  constexpr std::string_view kMemory = "/memfd:";
  return link.starts_with(kMemory) ? std::string(link.substr(1)) + '\0' : names_of(link);
}

/// `flags` of /proc/PID/fdinfo/N, which are octal.
unsigned flags_of(pid_t process, int descriptor) {
  const auto text = read_file(fmt::format("/proc/{}/fdinfo/{}", process, descriptor));
  if (!text) return 0;
  constexpr std::string_view kKey = "flags:";
  const std::size_t at = text->find(kKey);
  if (at == std::string::npos) return 0;
  const std::string_view value = trim(std::string_view(*text).substr(at + kKey.size(), 16));
  unsigned flags = 0;
  std::from_chars(value.data(), value.data() + value.size(), flags, 8);
  return flags;
}

}  // namespace

// Links and copies alone, and not stat(2) or statfs(2): these ask the file system, which may hang.
std::optional<std::vector<std::byte>> describe_descriptor(pid_t process, int descriptor) {
  std::error_code error;
  const std::string link = fs::read_symlink(fmt::format("/proc/{}/fd/{}", process, descriptor), error);
  if (error) return std::nullopt;
  wire::DescriptorRecord record{};
  record.head.kind = wire::kDescriptorRecord;
  record.head.process = static_cast<std::uint32_t>(process);
  record.head.thread = record.head.process;
  record.time_ns = static_cast<std::uint64_t>(SystemClock().mono().time_since_epoch().count());
  record.descriptor = descriptor;
  const unsigned flags = flags_of(process, descriptor);
  if ((flags & O_CLOEXEC) != 0) record.head.flags |= wire::kCloseOnExecFlag;
  if ((flags & O_DIRECT) != 0) record.head.flags |= wire::kDirectFlag;
  std::string text;
  if (link.starts_with("socket:[")) {
    record.mode = S_IFSOCK;
    record.inode = inode_of(link);
    const Fd copy = copy_of(process, descriptor);
    if (copy.valid()) text = describe_socket(copy.get(), record);
  } else {
    text = describe_file(link, record);
  }
  if (text.size() > wire::kWalkRoom) {
    text.resize(wire::kWalkRoom);
    record.head.flags |= wire::kCutFlag;
  }
  record.head.bytes = static_cast<std::uint32_t>(sizeof record + text.size());
  std::vector<std::byte> bytes(record.head.bytes);
  std::memcpy(bytes.data(), &record, sizeof record);
  std::memcpy(bytes.data() + sizeof record, text.data(), text.size());
  return bytes;
}

std::vector<int> open_descriptors(pid_t process) {
  std::vector<int> all;
  std::error_code error;
  for (fs::directory_iterator at(fmt::format("/proc/{}/fd", process), error), end; !error && at != end;
       at.increment(error)) {
    if (const auto number = to_number<int>(at->path().filename().native())) all.push_back(*number);
  }
  std::ranges::sort(all);
  return all;
}

}  // namespace laggard::collect
