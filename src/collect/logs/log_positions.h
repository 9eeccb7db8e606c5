#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace laggard::collect {

/// How far a file has been read. A log is renamed, copied and truncated while it is read, so its path does
/// not say which file it is: device and inode do, and, since inodes are used again and devices get other
/// numbers when a machine boots, its first bytes.
struct FilePosition {
  /// So many first bytes are looked at; most logs have a time among them.
  static constexpr std::uint64_t kMostHead = 256;

  std::string path;  ///< By which the user names it, wherever it is now.
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t offset = 0;      ///< Of the first line that was not taken.
  std::uint64_t head_bytes = 0;  ///< How many of them there were, at most kMostHead.
  std::uint64_t head_hash = 0;   ///< The checksum of these.

  bool operator==(const FilePosition&) const = default;
  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    state(self.path, self.device, self.inode, self.offset, self.head_bytes, self.head_hash);
    state.require(self.head_bytes <= kMostHead);
  }
};

/// How far all logs have been read: what the bookmark (EventTable) of recorded lines says.
struct LogPositions {
  std::uint64_t number = 0;  ///< Grows with each bookmark.
  std::string cursor;        ///< Of the journal's last entry; empty: none was taken.
  std::vector<FilePosition> files;

  bool operator==(const LogPositions&) const = default;
  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    state(self.number, self.cursor, self.files);
  }
};

[[nodiscard]] std::string to_bookmark(const LogPositions& positions);
/// The latest of these; nothing when none of them can be read.
[[nodiscard]] std::optional<LogPositions> latest_positions(std::span<const std::string> bookmarks);

}  // namespace laggard::collect
