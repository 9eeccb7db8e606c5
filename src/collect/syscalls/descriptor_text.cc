#include "collect/syscalls/descriptor_text.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace laggard::collect {

namespace {

/// The names of a path from its end to its root, the other way round.
std::string path_of_names(const wire::DescriptorRecord& record, std::string_view names) {
  std::vector<std::string_view> parts;
  parts.reserve(16);
  while (!names.empty()) {
    const std::size_t end = names.find('\0');
    if (names.substr(0, end) != "/") parts.push_back(names.substr(0, end));  // The root's own name.
    names.remove_prefix(end == std::string_view::npos ? names.size() : end + 1);
  }
  std::string path = (record.head.flags & wire::kCutFlag) != 0 ? "..." : "";
  if (parts.empty()) path += '/';
  std::ranges::reverse(parts);
  for (const std::string_view part : parts) path.append("/").append(part);
  if ((record.head.flags & wire::kDeletedFlag) != 0) path += " (deleted)";
  return path;
}

std::string internet_address(const wire::DescriptorRecord& record, const std::uint8_t* address,
                             std::uint16_t port) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (::inet_ntop(record.family, address, text.data(), text.size()) == nullptr) return "?";
  return record.family == AF_INET6 ? fmt::format("[{}]:{}", text.data(), port)
                                   : fmt::format("{}:{}", text.data(), port);
}

std::string internet_socket(const wire::DescriptorRecord& record) {
  const char* name = record.socket_type == SOCK_STREAM  ? "TCP"
                     : record.socket_type == SOCK_DGRAM ? "UDP"
                                                        : "RAW";
  const std::string protocol = std::string(name) + (record.family == AF_INET6 ? "v6" : "");
  if (record.local_port == 0) return fmt::format("{}:[{}]", protocol, record.inode);
  const std::string local = internet_address(record, record.local, record.local_port);
  if (record.peer_port == 0) return fmt::format("{}:[{}]", protocol, local);
  return fmt::format("{}:[{}->{}]", protocol, local, internet_address(record, record.peer, record.peer_port));
}

std::string socket_text(const wire::DescriptorRecord& record, std::string_view text) {
  switch (record.family) {
    case AF_INET:
    case AF_INET6:
      return internet_socket(record);
    case AF_UNIX:
      text = text.substr(0, text.find('\0'));
      return text.empty() ? fmt::format("UNIX:[{}]", record.inode)
                          : fmt::format("UNIX:[{},\"{}\"]", record.inode, text);
    case AF_NETLINK:
      return fmt::format("NETLINK:[{}]", record.inode);
    default:
      return fmt::format("socket:[{}]", record.inode);
  }
}

}  // namespace

std::string descriptor_text(const wire::DescriptorRecord& record, std::string_view text) {
  if ((record.mode & S_IFMT) == S_IFSOCK) return socket_text(record, text);
  if (record.magic == kPipeMagic) return fmt::format("pipe:[{}]", record.inode);
  if (record.magic == ANON_INODE_FS_MAGIC) {
    return "anon_inode:" + std::string(text.substr(0, text.find('\0')));
  }
  // Pseudo file systems have no root that a path begins at.
  const bool has_no_root = text.starts_with("memfd:");
  std::string path = path_of_names(record, text);
  if (has_no_root) path = "/" + std::string(text.substr(0, text.find('\0'))) + " (deleted)";
  return path;
}

}  // namespace laggard::collect
