#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.h"
#include "collect/import/unpack_limits.h"

namespace laggard::collect {

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
