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

/// Day files that an import has written under hidden paths and closed, and that get their own names together
/// once all of them are on the disk: a file by itself waits for the disk some twenty times, which makes
/// minutes of a list of thousands of hosts. Their hosts stay locked by the caller until they have their
/// names.
class NewFiles {
 public:
  /// The caller names so many without being asked to: each is open while it is synced and keeps a lock.
  static constexpr std::size_t kMost = 256;

  struct NewFile {
    std::filesystem::path hidden;
    FileIdentity identity;
    std::int64_t day = 0;
    WriteStats stats;  ///< Of what is in it.
  };

  /// A file that has been closed.
  void add(NewFile file);
  [[nodiscard]] bool full() const { return files_.size() >= kMost; }
  [[nodiscard]] bool has(const FileIdentity& identity, std::int64_t day) const;
  [[nodiscard]] bool has_path(const std::filesystem::path& hidden) const;
  [[nodiscard]] const std::multiset<std::string>& hosts() const { return hosts_; }

  /// Syncs them and gives them their names, or the next names that are free; on return they survive a power
  /// cut, and `stats` has what is in them.
  /// \return the first error; the others have their names all the same. What could not be synced is given up
  /// and
  ///         removed, since a second try would seem to succeed; so is what somebody has removed. What could
  ///         only not be named waits for the next call.
  [[nodiscard]] Status name_all(WriteStats& stats);
  /// Removes those that have no names.
  void discard();

  /// Removes what dead processes have left in a folder, as far as no other process writes the host.
  static void remove_stale(const std::filesystem::path& folder);
  /// Says where an error is as a user will find it: the name that a hidden file is to have.
  [[nodiscard]] static Status with_own_name(Status status);

 private:
  struct Waiting {
    NewFile file;
    std::optional<FileId> id;  ///< Which file was closed, should another stand at its path later.
    bool synced = false;
  };
  [[nodiscard]] Status sync();
  void erase(std::size_t index);

  std::vector<Waiting> files_;
  std::multiset<std::string> hosts_;  ///< Of `files_`.
};

}  // namespace laggard::archive
