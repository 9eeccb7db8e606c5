#include "lab/striped/stripes.h"

#include <algorithm>

#include "lab/cluster/pvfs_programs.h"

namespace laggard::lab::striped {

std::vector<Stripes::Piece> Stripes::pieces(std::uint64_t object, std::uint64_t offset,
                                            std::uint64_t length) const {
  std::vector<Piece> result;
  for (std::uint64_t at = offset; at < offset + length;) {
    const std::uint64_t number = at / strip;
    const std::uint64_t inside = at % strip;
    const std::uint64_t part = std::min(strip - inside, offset + length - at);
    result.push_back(
        {(first(object) + number) % servers, number / servers * strip + inside, at - offset, part});
    at += part;
  }
  return result;
}

std::uint64_t Stripes::file_size(std::uint64_t object, std::span<const std::uint64_t> sizes) const {
  std::uint64_t size = 0;
  for (std::size_t server = 0; server < servers; ++server) {
    if (sizes[server] == 0) continue;
    const std::uint64_t last = sizes[server] - 1;
    const std::uint64_t place = (server + servers - first(object)) % servers;
    size = std::max(size, (last / strip * servers + place) * strip + last % strip + 1);
  }
  return size;
}

std::uint64_t Stripes::object_size(std::uint64_t object, std::size_t server, std::uint64_t size) const {
  const std::uint64_t place = (server + servers - first(object)) % servers;
  return static_cast<std::uint64_t>(
      object_bytes(static_cast<std::int64_t>(size), static_cast<std::int64_t>(strip),
                   static_cast<std::uint32_t>(servers), static_cast<std::uint32_t>(place)));
}

std::size_t server_of_path(std::string_view path, std::size_t servers) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : path) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return (hash >> 32U) % servers;
}

}  // namespace laggard::lab::striped
