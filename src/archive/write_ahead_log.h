#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string_view>

/// SQLite's write-ahead log and wal-index, read without SQLite, so that a reader makes, changes and deletes
/// no side file. The layout is https://www.sqlite.org/fileformat2.html#walformat.
namespace laggard::archive {

enum class LogState : std::uint8_t {
  kAbsent,  ///< There is no log.
  kEmpty,   ///< It has no frame: it was emptied, or nothing was ever written to it.
  kWhole,   ///< It ends with a commit; what follows, if anything, is left over from earlier rounds.
  /// The last readable commit is followed by part of at most one more. A kill or a power cut in the middle of
  /// a flush leaves that, and so does a cut or a damaged end.
  kTorn,
  kBroken,  ///< Its header is invalid, or more than one commit is unreadable.
};

/// Where the newest committed content of each page lies in a log.
struct LogIndex {
  LogState state = LogState::kAbsent;
  std::map<std::uint32_t, std::uint64_t> pages;  ///< Page number -> offset of its bytes in the log.
  std::uint32_t page_count = 0;  ///< Size of the database after the last commit; 0 when none was found.
  std::uint32_t frames = 0;      ///< How many there are up to the last commit.
};

/// Reads bytes at an offset; fewer at the end.
using ReadAt = std::function<std::size_t(std::uint64_t offset, std::span<char> into)>;

/// An empty log is kEmpty.
[[nodiscard]] LogIndex index_log(const ReadAt& log, std::uint64_t size);

/// How many frames the wal-index `shm` says are committed in the log whose header is `log_header`; nothing
/// when the index is invalid or belongs to another log.
[[nodiscard]] std::optional<std::uint32_t> committed_frames(std::string_view shm,
                                                            std::string_view log_header);

/// Whether the wal-index `shm` is valid and says that everything ever committed is in the database itself:
/// nothing was written to the log, or nothing since its last checkpoint.
[[nodiscard]] bool says_no_frames(std::string_view shm);

/// Calls `f(page number, page)` for every frame, whether its checksum holds or not. Meant for salvage, where
/// blocks have their own checksums.
void for_each_frame(std::string_view log, const std::function<void(std::uint32_t, std::string_view)>& f);

inline constexpr std::size_t kLogHeaderBytes = 32;

}  // namespace laggard::archive
