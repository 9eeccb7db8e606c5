#include "collect/syscalls/cgroup_processes.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "collect/procfs/quota_meter.h"

namespace laggard::collect {

namespace {

namespace fs = std::filesystem;

constexpr const char* kMembers = "cgroup.procs";

void add_members(const fs::path& group, std::set<std::uint32_t>& processes) {
  const Result<std::string> text = read_file(group / kMembers);
  if (!text) return;
  for (const std::string_view line : split(*text, '\n')) {
    if (const auto process = to_number<std::uint32_t>(trim(line))) processes.insert(*process);
  }
}

}  // namespace

Result<CgroupProcesses> CgroupProcesses::find(const fs::path& root, const std::vector<std::string>& paths) {
  const CgroupMounts mounts = CgroupMounts::find(root);
  CgroupProcesses processes;
  for (const fs::path path : paths) {
    const std::size_t before = processes.groups_.size();
    for (const fs::path& hierarchy : {fs::path("/"), mounts.cpu_v1, mounts.v2}) {
      if (hierarchy.empty() || (hierarchy == "/") != path.is_absolute()) continue;
      std::error_code none;
      if (fs::exists(hierarchy / path / kMembers, none)) processes.groups_.push_back(hierarchy / path);
    }
    if (processes.groups_.size() == before) {
      return fail(ErrorCode::kNotFound, "--cgroup", "there is no control group " + path.string());
    }
  }
  return processes;
}

std::vector<std::uint32_t> CgroupProcesses::newcomers() {
  std::set<std::uint32_t> now;
  for (const fs::path& group : groups_) {
    add_members(group, now);
    std::error_code error;
    for (fs::recursive_directory_iterator at(group, error), end; !error && at != end; at.increment(error)) {
      if (at->is_directory(error)) add_members(at->path(), now);
    }
  }
  std::vector<std::uint32_t> fresh;
  std::ranges::set_difference(now, known_, std::back_inserter(fresh));
  known_ = std::move(now);
  return fresh;
}

}  // namespace laggard::collect
