#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "archive/day_file.h"
#include "archive/stream_folder.h"
#include "archive/writer.h"
#include "base/error.h"

namespace laggard::archive {

/// Day files that an import has written under hidden paths and closed. They get their names together, once
/// all of them are on the disk: a file on its own waits for the disk some twenty times, which adds up to
/// minutes for thousands of hosts. The caller keeps their hosts locked until they have their names.
class NewFiles {
 public:
  /// The caller names them when there are so many: each is open while it is synced, and keeps a lock.
  static constexpr std::size_t kMost = 256;

  struct NewFile {
    std::filesystem::path hidden;
    FileIdentity identity;
    std::int64_t day = 0;
    WriteStats stats;  ///< What is in it.
  };

  /// Adds a file that has been closed.
  void add(NewFile file);
  [[nodiscard]] bool full() const { return files_.size() >= kMost; }
  [[nodiscard]] bool has(const FileIdentity& identity, std::int64_t day) const;
  [[nodiscard]] bool has_path(const std::filesystem::path& hidden) const;
  [[nodiscard]] const std::multiset<std::string>& hosts() const { return hosts_; }

  /// Syncs the files and gives them their names, or the next free ones. On return they survive a power cut,
  /// and `stats` includes what is in them.
  /// \return an error if any file failed; the others have their names all the same. A file that could not be
  ///         synced is removed, since a second attempt would seem to succeed, and one that somebody else has
  ///         removed is given up. A file that merely could not be named waits for the next call.
  [[nodiscard]] Status name_all(WriteStats& stats);
  /// Removes the files that have no names yet.
  void discard();

  /// Removes the hidden files that dead processes have left in a folder, unless another process writes the
  /// host.
  static void remove_stale(const std::filesystem::path& folder);
  /// Makes an error name the path that a hidden file is to get, which is where a user will find it.
  [[nodiscard]] static Status with_own_name(Status status);

 private:
  struct Waiting {
    NewFile file;
    std::optional<FileId> id;  ///< Identifies the closed file, should another take its path later.
    bool synced = false;
  };
  [[nodiscard]] Status sync();
  void erase(std::size_t index);

  std::vector<Waiting> files_;
  std::multiset<std::string> hosts_;  ///< The hosts of `files_`.
};

}  // namespace laggard::archive
