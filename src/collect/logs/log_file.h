#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/file.h"
#include "collect/logs/log_positions.h"

namespace laggard::collect {

/// Which file it is, and how large.
struct FileState {
  /// Of what is at a path; nothing where there is nothing.
  [[nodiscard]] static std::optional<FileState> at(const std::filesystem::path& path);

  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t bytes = 0;
  std::int64_t modified_ns = 0;
  bool has_name = true;  ///< Not removed.
  [[nodiscard]] bool is_same_file(const FileState& other) const {
    return device == other.device && inode == other.inode;
  }
};

/// One open log that grows, line by line, whatever becomes of its name. A line is there once its line end is:
/// what a program is still writing waits. Of a line of more than kMostLine bytes the first ones are the line,
/// as for an import (LineReader::Overlong::kCut); however long it is, no more is kept.
class LogFile {
 public:
  static constexpr std::size_t kMostLine = std::size_t{2} << 20;

  /// Regular files only. kNotFound, kNoPermission, kBadUse, …
  /// \param path  where it is now. \param name  by which the user calls it.
  [[nodiscard]] static Result<LogFile> open(const std::filesystem::path& path, std::string name);

  /// Goes on where a position says. \return false, with nothing changed, when that was of another file.
  [[nodiscard]] bool resume(const FilePosition& position);
  /// The same in a copy of that file, which begins as it did and is at least as long as it was read.
  [[nodiscard]] bool resume_in_copy(const FilePosition& position);
  /// Begins at the end, with the first line that is written from now on.
  void skip_to_end();

  /// The next line, without its end, valid until the next call of anything; false when there is none yet.
  /// The same again until it is taken. \param unfinished  also what has no line end, since no more will come.
  [[nodiscard]] Result<bool> peek(std::string_view& line, bool unfinished = false);
  /// The line is done with.
  void take();

  /// Looks whether the file was truncated since, as by `copytruncate`, and then begins anew at its start.
  /// \return whether it was.
  [[nodiscard]] Result<bool> look();
  [[nodiscard]] const FileState& state() const { return state_; }
  /// Behind the last line that was taken.
  [[nodiscard]] const FilePosition& position() const { return position_; }
  [[nodiscard]] const std::string& name() const { return position_.path; }

 private:
  explicit LogFile(Fd file) : file_(std::move(file)) {}

  [[nodiscard]] Result<std::size_t> fill();
  void drop_overlong(std::size_t from);
  [[nodiscard]] std::optional<std::uint64_t> head_hash(std::uint64_t bytes) const;
  void remember_head();
  void begin_at(std::uint64_t offset);
  [[nodiscard]] bool go_on_at(const FilePosition& position);
  [[nodiscard]] std::uint64_t read_offset() const {
    return position_.offset + buffer_.size() - begin_ + dropped_;
  }

  Fd file_;
  FileState state_;
  FilePosition position_;
  std::string buffer_;  ///< From `begin_` on it is what follows the position, but for `dropped_`.
  std::size_t begin_ = 0;
  std::size_t scanned_ = 0;    ///< Bytes from `begin_` on that hold no line end.
  std::size_t length_ = 0;     ///< Of the line that was peeked at, …
  std::size_t line_end_ = 0;   ///< … and of its line end; 0 for an unfinished line.
  std::uint64_t dropped_ = 0;  ///< Bytes of an overlong line that are not kept.
};

}  // namespace laggard::collect
