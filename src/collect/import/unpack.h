#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/file.h"

namespace laggard::collect {

/// How much one packed file may unpack to, all members together: a few megabytes can be crafted to unpack to
/// terabytes.
struct UnpackLimits {
  std::uint64_t always = std::uint64_t{1} << 30U;  ///< Bytes that are allowed whatever the packed size.
  std::uint64_t ratio = 300;                       ///< Or this many times the packed size, if that is more.
  std::optional<std::uint64_t> most;               ///< Replaces both (--max-unpacked).
};

/// Members of one archive, directories and links included.
inline constexpr std::size_t kMostMembers = 100'000;
inline constexpr std::size_t kLongestMemberName = 1024;
/// How many layers of compression a file may have: a .tar.gz has one.
inline constexpr int kMostPackings = 3;

/// What is left of one file's limit.
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

/// Whether a file that begins like this is a gzip file.
[[nodiscard]] bool is_gzip(std::string_view begin);

/// Unpacks a gzip file only to verify its checksums, which libarchive skips: a flipped bit would otherwise
/// pass as another digit. Zeros may follow the packed data, as tapes leave them, and nothing else. \param fd
/// at the file's beginning. \param where  names the file in the error, which is kBadInput. \param budget  how
/// much it may unpack to.
[[nodiscard]] Status check_gzip(int fd, const std::string& where, UnpackBudget& budget);

/// The folder for temporary files, which may be large: TMPDIR, else /var/tmp, because /tmp may be in memory.
[[nodiscard]] std::filesystem::path scratch_folder();

/// A temporary file in `folder` without a name: no other process can open it by path, and it disappears with
/// its last descriptor, however the process ends. \param where  names the input in errors, which say with
/// `purpose` what the file was for: `is unpacked`.
[[nodiscard]] Result<Fd> nameless_file(const std::filesystem::path& folder, const std::string& where,
                                       const std::string& purpose);

/// A stream that can be read only once. gzip data first go into a temporary file without a name and are
/// verified there, because their checksum comes at the end and nothing may be taken before it is verified.
class CheckedInput {
 public:
  /// \param fd  outlives this. \param where  names the stream in errors.
  /// \param budget  how much it may unpack to.
  [[nodiscard]] static Result<CheckedInput> open(int fd, const std::string& where,
                                                 const UnpackBudget& budget);

  /// 0 bytes at the end.
  [[nodiscard]] Result<std::size_t> read(std::span<char> buffer);

 private:
  CheckedInput(int fd, std::string where) : fd_(fd), where_(std::move(where)) {}
  [[nodiscard]] Status peek();
  [[nodiscard]] Status put_aside(UnpackBudget budget);

  int fd_;
  std::string where_;
  std::string begun_;  ///< Bytes that were peeked at and not returned yet.
  Fd spool_;           ///< Read instead of `fd_`, if there is one.
};

}  // namespace laggard::collect
