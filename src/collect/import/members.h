#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

struct archive;

namespace laggard::collect {

/// The files inside of one given file, whatever it is packed in: a plain file, one compressed with gzip,
/// bzip2, xz, lzma, zstd, lz4 or compress, or a tar, cpio or zip of many files. What it is is told from its
/// content, never from its name.
class Members {
 public:
  struct Member {
    std::string name;  ///< Path inside of the archive; empty when the file is not an archive.
  };

  /// `path` may be `-` for standard input.
  [[nodiscard]] static Result<Members> open(const std::filesystem::path& path);

  /// The next regular file; nothing at the end.
  [[nodiscard]] Result<std::optional<Member>> next();

  /// Content of the current member; 0 bytes at its end.
  [[nodiscard]] Result<std::size_t> read(std::span<char> buffer);

  /// Bytes of the (packed) file that have been taken so far, for progress.
  [[nodiscard]] std::uint64_t consumed() const;

  /// False when the file itself is the content of the current member.
  [[nodiscard]] bool packed() const;

  /// `path`, or `path[member]` for a file of an archive.
  [[nodiscard]] std::string where() const;

 private:
  struct Closer {
    void operator()(archive* a) const;
  };
  Members(std::filesystem::path path, std::unique_ptr<archive, Closer> handle)
      : path_(std::move(path)), handle_(std::move(handle)) {}
  [[nodiscard]] tl::unexpected<Error> damaged() const;

  std::filesystem::path path_;
  std::unique_ptr<archive, Closer> handle_;
  std::string member_;
};

/// Names of the regular files of an archive in stored order, from a pass of its own; empty for a file that is
/// not an archive and for standard input.
[[nodiscard]] Result<std::vector<std::string>> list_members(const std::filesystem::path& path);

}  // namespace laggard::collect
