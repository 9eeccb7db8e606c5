#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "archive/day_file.h"
#include "archive/file_set.h"
#include "archive/host_inventory.h"
#include "archive/reader_cache.h"

namespace laggard::archive {

/// The blocks of a file that is being written, as they were listed last: how many, and the newest ones. A
/// writer appends blocks and merges the last ones of a kind into one, so while their number grows by those
/// that are new, and the last one of each kind is what it was, all others are.
struct ListedRows {
  std::size_t count = 0;
  std::vector<BlockRow> newest;           ///< Consecutive, and the last one of each kind among them.
  WallTime rest_until = WallTime::min();  ///< The end of all others.
  std::optional<TimeSpan> extent{};       ///< Of all.

  /// \param rows  all that follow `newest`.
  void append(std::vector<BlockRow> rows);
};

/// A file that was there when a reader listed its folder.
struct CachedFile {
  /// What all of it is known of: as it was before it was read, and what was found then without any damage.
  std::optional<FileStamp> finished;
  SourceFile source;
  std::filesystem::path canonical;
  KnownLog log;                    ///< Of one that is being written.
  std::optional<ListedRows> rows;  ///< The same.
  std::uint64_t listing = 0;       ///< The last one that found it.
};

/// What the files of a host say, in the order in which they are read: those before the last one, which are
/// finished, and with the last one, which grows.
struct CachedHost {
  struct Last {
    std::string path;
    FileId id;
    std::optional<FileStamp> finished;
    std::array<std::int64_t, 2> notes{};
    HostInventory inventory;
  };
  std::vector<std::pair<std::string, FileStamp>> folded;
  HostInventory before;
  std::optional<Last> last;
};

struct ReaderCache::Content {
  std::map<std::string, CachedFile> files;  ///< By path.
  std::map<std::string, CachedHost> hosts;
  std::uint64_t listing = 0;

  /// The file at `path`, if nothing of it has changed since it was finished.
  [[nodiscard]] const CachedFile* finished(const std::filesystem::path& path);
  /// The file's entry, made where there is none.
  [[nodiscard]] CachedFile& file(const std::filesystem::path& path);
  /// All files have been listed: forgets those that are gone.
  void end_listing();
};

/// The file's state, if it has neither a log nor a journal, as what nobody writes has.
[[nodiscard]] std::optional<FileStamp> stamp_of_plain(const std::filesystem::path& path);

}  // namespace laggard::archive
