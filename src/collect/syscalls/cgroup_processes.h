#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"

namespace laggard::collect {

/// The processes of control groups and of all groups below them.
class CgroupProcesses {
 public:
  /// Finds the groups. \param root  where /sys is; \param paths  absolute, or below one of the hierarchies
  /// (of version 1 that of processors): `system.slice/glusterd.service`. kNotFound names the first that is
  /// not there.
  [[nodiscard]] static Result<CgroupProcesses> find(const std::filesystem::path& root,
                                                    const std::vector<std::string>& paths);

  /// Those that were not there the last time, in order. A group that is gone has none.
  [[nodiscard]] std::vector<std::uint32_t> newcomers();

 private:
  std::vector<std::filesystem::path> groups_;
  std::set<std::uint32_t> known_;
};

}  // namespace laggard::collect
