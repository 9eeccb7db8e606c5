#pragma once

#include <filesystem>
#include <string>

#include "archive/prune.h"
#include "base/error.h"
#include "base/time.h"

namespace laggard::cmd {

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
