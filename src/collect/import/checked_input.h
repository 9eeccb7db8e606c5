#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "base/error.h"
#include "base/file.h"
#include "collect/import/unpack.h"

namespace laggard::collect {

/// Where files of a moment go that may be large: TMPDIR, else /var/tmp, which is on a disk where /tmp may be
/// memory.
[[nodiscard]] std::filesystem::path scratch_folder();

/// A file of our own in `folder` that has no name: nobody else can open it, and it is gone with its last
/// descriptor, however the process ends.
/// \param where  names the input in errors, which say what the file was for: `is unpacked`.
[[nodiscard]] Result<Fd> nameless_file(const std::filesystem::path& folder, const std::string& where,
                                       const std::string& purpose);

/// A stream that can be read only once. What gzip packed goes into a temporary file without a name first and
/// is checked there (unpack.h), since its checksum stands at its end and nothing may be taken before it
/// holds.
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
  std::string begun_;  ///< Bytes that were looked at and not given yet.
  Fd spool_;           ///< Read instead of `fd_`, if there is one.
};

}  // namespace laggard::collect
