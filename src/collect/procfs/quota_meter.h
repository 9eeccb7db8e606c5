#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "collect/procfs/process_tables.h"

namespace laggard::collect {

/// Where control groups are mounted below a root: the hierarchy of version 1 that has the processors, and
/// that of version 2. Empty where there is none.
struct CgroupMounts {
  std::filesystem::path cpu_v1;
  std::filesystem::path v2;

  [[nodiscard]] static CgroupMounts find(const std::filesystem::path& root);
};

/// The folders of the groups whose quotas hold a process: its own, and those around it that have a quota now.
[[nodiscard]] std::vector<std::filesystem::path> quota_folders(const CgroupMounts& mounts,
                                                               std::string_view proc_pid_cgroup);

/// For how long a daemon was held by the quotas of its control groups: totals that only grow while groups
/// come and go.
class QuotaMeter {
 public:
  /// The groups from now on.
  void set_folders(const std::vector<std::filesystem::path>& folders);
  void sample();

  [[nodiscard]] const Throttling& totals() const { return totals_; }
  /// Whether there is a group to tell.
  [[nodiscard]] bool knows() const { return !groups_.empty(); }

 private:
  struct Group {
    Fd file;
    Throttling last;
  };

  std::map<std::filesystem::path, Group> groups_;
  Throttling totals_;
};

}  // namespace laggard::collect
