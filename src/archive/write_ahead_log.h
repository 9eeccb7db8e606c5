#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string_view>

/// SQLite's write-ahead log and wal-index, read by their checksums alone and without SQLite: a reader may
/// then look at a recording without a side file being made, changed or deleted. The layout is
/// https://www.sqlite.org/fileformat2.html#walformat.
namespace laggard::archive {

enum class LogState : std::uint8_t {
  kAbsent,  ///< There is no log.
  kEmpty,   ///< There is one without a frame: it was emptied, or nothing was ever written to it.
  kWhole,   ///< It ends with a commit; what follows, if anything, is left over from earlier rounds.
  /// The last commit that can be read is followed by a part of one more at most: a kill or a power cut in the
  /// middle of a flush leaves that, and so does a cut or a damaged end.
  kTorn,
  kBroken,  ///< Its beginning does not hold, or more than one commit is out of reach.
};

/// Where the newest committed content of each page lies in a log.
struct LogIndex {
  LogState state = LogState::kAbsent;
  std::map<std::uint32_t, std::uint64_t> pages;  ///< Page number -> place of its bytes in the log.
  std::uint32_t page_count = 0;  ///< Of the database after the last commit; 0: none was found.
  std::uint32_t frames = 0;      ///< Up to the last commit.
};

/// Reads bytes at a place; fewer at the end.
using ReadAt = std::function<std::size_t(std::uint64_t offset, std::span<char> into)>;

/// An empty one is kEmpty.
[[nodiscard]] LogIndex index_log(const ReadAt& log, std::uint64_t size);

/// The frames that the wal-index `shm` knows to be committed in the round of the log that begins with
/// `log_header`; nothing when it does not hold or is about another log.
[[nodiscard]] std::optional<std::uint32_t> committed_frames(std::string_view shm,
                                                            std::string_view log_header);

/// Whether the wal-index `shm` holds and says that all that was ever committed is in the database itself:
/// nothing was written to its log, or nothing since that was taken over.
[[nodiscard]] bool says_no_frames(std::string_view shm);

/// Calls `f(page number, page)` for every frame, whether its checksum holds or not: for salvage, where blocks
/// have checksums of their own.
void for_each_frame(std::string_view log, const std::function<void(std::uint32_t, std::string_view)>& f);

inline constexpr std::size_t kLogHeaderBytes = 32;

}  // namespace laggard::archive
