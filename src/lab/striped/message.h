#pragma once

// What clients and servers of the striped file service say to each other. A connection carries one request at
// a time: a header and what follows it, then the answer, which has the same form.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tl/expected.hpp>

namespace laggard::lab::striped {

enum class Operation : std::uint32_t {
  kLook,      ///< Body: a path. Answer: what it is, and its object.
  kMake,      ///< Body: a path. `length`: a Kind. Answer: its object.
  kDrop,      ///< Body: a path.
  kList,      ///< Body: a folder's path. Answer's body: the names in it, each with a NUL behind it.
  kRead,      ///< `object`, `offset`, `length`. Answer's body: what is there, less at the end.
  kWrite,     ///< `object`, `offset`. Body: the bytes.
  kSize,      ///< `object`. Answer's `length`: the bytes of it that are here.
  kTruncate,  ///< `object`, `length`
  kSync,      ///< `object`
  kErase,     ///< `object`
};
inline constexpr std::uint32_t kOperations = 10;

/// A value, or the errno that the application is to get.
template <class T>
using OrErrno = tl::expected<T, int>;

/// What a path is.
enum class Kind : std::uint64_t { kFile, kFolder };
[[nodiscard]] constexpr Kind kind_of(std::uint64_t number) {
  return number == 0 ? Kind::kFile : Kind::kFolder;
}

/// What is known of a path.
struct Entry {
  Kind kind = Kind::kFile;
  std::uint64_t object = 0;
};

/// Bodies are shorter than PVFS's buffer of a flow, 4 MB (S §5).
inline constexpr std::size_t kMostBody = std::size_t{4} << 20U;

/// The head of a request or of an answer.
struct Header {
  std::uint32_t code = 0;  ///< Of a request the Operation, of an answer 0 or an errno for the application.
  std::uint64_t object = 0;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::uint64_t body = 0;  ///< How many bytes follow.
  bool operator==(const Header&) const = default;
};

inline constexpr std::size_t kHeaderBytes = 40;
using HeaderBytes = std::array<char, kHeaderBytes>;

[[nodiscard]] HeaderBytes encode(const Header& header);
/// \return nothing when it is no header of ours, or announces more than `kMostBody`
[[nodiscard]] std::optional<Header> decode(const HeaderBytes& bytes);

}  // namespace laggard::lab::striped
