#pragma once

#include <cstdint>
#include <optional>
#include <string>

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

}  // namespace laggard::collect
