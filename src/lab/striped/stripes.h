#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace laggard::lab::striped {

/// What an object's number says: which server made it, and whether it lies there alone.
/// \param count  of those that the server has made, below 2^48
[[nodiscard]] std::uint64_t object_number(std::size_t server, std::uint64_t count, bool pinned);
[[nodiscard]] std::uint64_t count_of(std::uint64_t object);
/// The server of a pinned object; nothing for others.
[[nodiscard]] std::optional<std::size_t> pinned_to(std::uint64_t object);

/// How a file lies on the servers, as in PVFS: strip after strip, on one server after the other, beginning
/// with the object's first server. Server k's part of the file is one object there. A pinned file
/// lies on one server.
struct Stripes {
  std::size_t servers = 1;
  std::uint64_t strip = std::uint64_t{64} << 10U;  ///< Bytes.

  /// The server with the first strip.
  [[nodiscard]] std::size_t first(std::uint64_t object) const { return object % servers; }

  /// A piece of a file that is contiguous in the file and in the object of one server.
  struct Piece {
    std::size_t server;
    std::uint64_t offset;  ///< In the object.
    std::uint64_t within;  ///< From the beginning of the range.
    std::uint64_t length;
  };
  /// The pieces of a range, in the order of the file.
  [[nodiscard]] std::vector<Piece> pieces(std::uint64_t object, std::uint64_t offset,
                                          std::uint64_t length) const;

  /// A file's size. \param sizes  of its objects, by server
  [[nodiscard]] std::uint64_t file_size(std::uint64_t object, std::span<const std::uint64_t> sizes) const;
  /// The size of a server's object in a file of that size.
  [[nodiscard]] std::uint64_t object_size(std::uint64_t object, std::size_t server, std::uint64_t size) const;
};

/// The server that knows of a path: all clients must agree. Below a folder that is called `@2`, and with that
/// folder, it is the second.
[[nodiscard]] std::size_t server_of_path(std::string_view path, std::size_t servers);
/// Whether a folder pins what lies at the path.
[[nodiscard]] bool is_pinned(std::string_view path);

}  // namespace laggard::lab::striped
