#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "collect/import/unpack.h"

struct archive;

namespace laggard::collect {

/// The files inside one given file, whatever it is packed in: a plain file, one compressed with gzip, bzip2,
/// xz, lzma, zstd, lz4 or compress, or a tar, cpio or zip of many files. The format is recognised by the
/// content, never by the name.
class Members {
 public:
  struct Member {
    std::string name;  ///< Path inside the archive; empty when the file is not an archive.
  };

  /// `path` may be `-` for standard input, or a pipe, which can be read only once (see CheckedInput). A file
  /// that unpacks to more than `limits` allow is an error of `next` or `read`.
  [[nodiscard]] static Result<Members> open(const std::filesystem::path& path, const UnpackLimits& limits);

  /// The next regular file; nothing at the end. Links, devices and folders are skipped. Names are only labels
  /// and never used as paths on this machine.
  [[nodiscard]] Result<std::optional<Member>> next();

  /// Content of the current member; 0 bytes at its end.
  [[nodiscard]] Result<std::size_t> read(std::span<char> buffer);

  /// Bytes of the (packed) file consumed so far, for progress.
  [[nodiscard]] std::uint64_t consumed() const;

  /// False when the file itself is the content of the current member.
  [[nodiscard]] bool packed() const;

  /// `path`, or `path[member]` for a file of an archive.
  [[nodiscard]] std::string where() const;

 private:
  struct Closer {
    void operator()(::archive* a) const;
  };
  struct Input;
  struct FreeInput {
    void operator()(Input* input) const;
  };
  Members(std::filesystem::path path, std::unique_ptr<::archive, Closer> handle, UnpackBudget budget)
      : path_(std::move(path)), handle_(std::move(handle)), budget_(budget) {}
  [[nodiscard]] Result<int> open_stream();
  /// Reads the current member to its end, only to verify its checksums.
  [[nodiscard]] Status read_through();
  [[nodiscard]] Status check_header(const std::string& name);
  friend Result<std::vector<std::string>> list_members(const std::filesystem::path& path,
                                                       const UnpackLimits& limits);
  [[nodiscard]] tl::unexpected<Error> damaged() const;

  std::filesystem::path path_;
  std::unique_ptr<Input, FreeInput> input_;  ///< Of a stream; the handle reads from it.
  std::unique_ptr<::archive, Closer> handle_;
  UnpackBudget budget_;
  std::size_t headers_ = 0;  ///< Of members, skipped ones included.
  std::string member_;
};

/// Names of the regular files of an archive in stored order; empty for a file that is not an archive and for
/// a stream. A separate pass that reads everything packed to its end, so that a file with damage anywhere is
/// refused before the first value of it is taken.
[[nodiscard]] Result<std::vector<std::string>> list_members(const std::filesystem::path& path,
                                                            const UnpackLimits& limits);

/// Reads a file's members in turn, after `list_members` has seen that all of it is sound. A file without any
/// is bad input. \param read  is told when a member can be read
[[nodiscard]] Status read_members(const std::filesystem::path& path, const UnpackLimits& limits,
                                  const std::function<Status(Members& members)>& read);

}  // namespace laggard::collect
