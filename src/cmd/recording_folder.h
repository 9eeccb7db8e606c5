#pragma once

#include <filesystem>
#include <string>

#include "archive/prune.h"
#include "base/error.h"
#include "base/time.h"

namespace laggard::cmd {

// What the commands that write a recording do about its folder before, while and after they write: the
// archive makes it and says what fails in the system's words, which are not a user's.

/// Refuses a path that is something else than a folder.
[[nodiscard]] Status check_recording_folder(const std::filesystem::path& recording);

/// Removes the folders of a recording that got nothing; leaves what holds something.
void remove_empty_recording(const std::filesystem::path& recording);

/// From `--keep` and `--max-size`; empty: not asked for.
[[nodiscard]] Result<archive::Retention> retention_of(const std::string& keep, const std::string& max_size);

/// Deletes what is older or more than was asked for, on the thread that writes.
class Retainer {
 public:
  /// \param clock  outlives this.
  Retainer(std::filesystem::path recording, archive::Retention retention, Clock& clock)
      : recording_(std::move(recording)), retention_(std::move(retention)), clock_(clock) {}

  [[nodiscard]] Status prune_now();
  /// What could be deleted at the start and cannot now must not end a recording: it is tried again.
  void prune_when_due();

 private:
  std::filesystem::path recording_;
  archive::Retention retention_;
  Clock& clock_;
  MonoTime pruned_;
};

}  // namespace laggard::cmd
