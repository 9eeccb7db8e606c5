#include "lab/striped/stripes.h"

#include <algorithm>

#include "base/text.h"
#include "lab/cluster/pvfs_programs.h"

namespace laggard::lab::striped {

namespace {

constexpr unsigned kCountBits = 48;
constexpr std::uint64_t kCounts = (std::uint64_t{1} << kCountBits) - 1;
constexpr std::uint64_t kPinnedBit = std::uint64_t{1} << 63U;

/// The number of the server that a folder of the path pins to, from 1.
std::optional<std::size_t> pin_of(std::string_view path) {
  while (!path.empty()) {
    path.remove_prefix(1);  // The slash.
    const std::string_view name = path.substr(0, path.find('/'));
    path.remove_prefix(name.size());
    if (!name.starts_with('@')) continue;
    const auto number = to_number<std::size_t>(name.substr(1));
    if (number && *number > 0) return number;
  }
  return std::nullopt;
}

}  // namespace

std::uint64_t object_number(std::size_t server, std::uint64_t count, bool pinned) {
  return (pinned ? kPinnedBit : 0) | std::uint64_t{server} << kCountBits | count;
}

std::uint64_t count_of(std::uint64_t object) { return object & kCounts; }

std::optional<std::size_t> pinned_to(std::uint64_t object) {
  if ((object & kPinnedBit) == 0) return std::nullopt;
  return (object & ~kPinnedBit) >> kCountBits;
}

std::vector<Stripes::Piece> Stripes::pieces(std::uint64_t object, std::uint64_t offset,
                                            std::uint64_t length) const {
  std::vector<Piece> result;
  if (const auto server = pinned_to(object)) {
    if (length > 0) result.push_back({*server, offset, 0, length});
    return result;
  }
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
  if (const auto server = pinned_to(object)) return sizes[*server];
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
  if (const auto only = pinned_to(object)) return server == *only ? size : 0;
  const std::uint64_t place = (server + servers - first(object)) % servers;
  return static_cast<std::uint64_t>(
      object_bytes(static_cast<std::int64_t>(size), static_cast<std::int64_t>(strip),
                   static_cast<std::uint32_t>(servers), static_cast<std::uint32_t>(place)));
}

std::size_t server_of_path(std::string_view path, std::size_t servers) {
  if (const auto pin = pin_of(path)) return (*pin - 1) % servers;
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : path) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return (hash >> 32U) % servers;
}

bool is_pinned(std::string_view path) { return pin_of(path).has_value(); }

}  // namespace laggard::lab::striped
