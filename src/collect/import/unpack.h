#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace laggard::collect {

/// How much one packed file may unpack to, all members together. A few megabytes can be made to unpack to
/// terabytes, which nobody has recorded.
struct UnpackLimits {
  std::uint64_t always = std::uint64_t{1} << 30U;  ///< Bytes that are allowed whatever the file's size.
  std::uint64_t ratio = 300;                       ///< Or so many times the packed size, if that is more.
  std::optional<std::uint64_t> most;               ///< In place of both (--max-unpacked).
};

/// Members of one archive, directories and links included.
inline constexpr std::size_t kMostMembers = 100'000;
inline constexpr std::size_t kLongestMemberName = 1024;
/// How many times a file may be packed over: a .tar.gz is packed once.
inline constexpr int kMostPackings = 3;

/// The limit of one file as it is used up.
class UnpackBudget {
 public:
  /// \param packed  size of the file, 0 when it is not known before it has been read.
  UnpackBudget(const UnpackLimits& limits, std::uint64_t packed) : limits_(limits), packed_(packed) {}

  /// \param bytes     that were unpacked.
  /// \param consumed  of the packed file so far.
  /// \param where     names the file in the error.
  [[nodiscard]] Status spend(std::uint64_t bytes, std::uint64_t consumed, const std::string& where);

 private:
  UnpackLimits limits_;
  std::uint64_t packed_;
  std::uint64_t unpacked_ = 0;
};

/// Files are read in pieces of this size.
inline constexpr std::size_t kReadBlock = 256U << 10U;

inline constexpr std::string_view kGzipMagic = "\x1f\x8b";

/// Whether a file that begins so is one of gzip's.
[[nodiscard]] bool is_gzip(std::string_view begin);

/// Unpacks a gzip file for its checksums alone, which libarchive skips: a flipped bit would otherwise pass as
/// another digit. Zeros may follow the packed data, as tapes leave them, and nothing else.
/// \param fd  at the file's beginning. \param where  names the file for the error, which is kBadInput.
/// \param budget  how much it may unpack to.
[[nodiscard]] Status check_gzip(int fd, const std::string& where, UnpackBudget& budget);

}  // namespace laggard::collect
