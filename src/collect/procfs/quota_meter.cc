#include "collect/procfs/quota_meter.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <system_error>
#include <utility>

#include "base/text.h"

namespace laggard::collect {

namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

/// A process cannot be nested deeper than this.
constexpr int kMostLevels = 32;

bool has_quota(const fs::path& group) {
  // Version 2: `max 100000` or `2500 100000`; version 1: -1 or 2500.
  if (const Result<std::string> most = read_file(group / "cpu.max")) return !most->starts_with("max");
  const Result<std::string> quota = read_file(group / "cpu.cfs_quota_us");
  return quota && !quota->starts_with('-');
}

void add_levels(const fs::path& mount, std::string_view path, std::vector<fs::path>& folders) {
  // Absolute within the hierarchy; `/..` leads out of the reader's control-group namespace.
  if (mount.empty() || !path.starts_with('/') || path.find("/..") != std::string_view::npos) return;
  fs::path group = mount / path.substr(1);
  if (group.filename().empty()) group = group.parent_path();
  for (int level = 0; level < kMostLevels; ++level) {
    if (level == 0 || has_quota(group)) folders.push_back(group);
    if (group == mount || !group.has_relative_path()) return;
    group = group.parent_path();
  }
}

std::optional<Throttling> read_throttling(const Fd& file) {
  std::array<char, 4096> text{};
  const ssize_t n = ::pread(file.get(), text.data(), text.size(), 0);
  return n <= 0 ? std::nullopt : parse_throttling({text.data(), static_cast<std::size_t>(n)});
}

}  // namespace

CgroupMounts CgroupMounts::find(const fs::path& root) {
  const fs::path base = root / "sys/fs/cgroup";
  CgroupMounts mounts;
  for (const char* name : {"cpu,cpuacct", "cpu", "cpuacct,cpu"}) {
    if (mounts.cpu_v1.empty() && is_there(base / name)) mounts.cpu_v1 = base / name;
  }
  for (const fs::path& unified : {base, base / "unified"}) {
    if (mounts.v2.empty() && is_there(unified / "cgroup.controllers")) mounts.v2 = unified;
  }
  return mounts;
}

std::vector<fs::path> quota_folders(const CgroupMounts& mounts, std::string_view proc_pid_cgroup) {
  const CgroupPaths paths = parse_cgroup_paths(proc_pid_cgroup);
  std::vector<fs::path> folders;
  add_levels(mounts.cpu_v1, paths.cpu_v1, folders);
  add_levels(mounts.v2, paths.v2, folders);
  return folders;
}

void QuotaMeter::set_folders(const std::vector<fs::path>& folders) {
  std::erase_if(groups_,
                [&](const auto& entry) { return std::ranges::find(folders, entry.first) == folders.end(); });
  for (const fs::path& folder : folders) {
    if (groups_.contains(folder)) continue;
    Fd file{::open((folder / "cpu.stat").c_str(), O_RDONLY | O_CLOEXEC)};
    if (!file.valid()) continue;
    const auto now = read_throttling(file);
    if (now) groups_.emplace(folder, Group{std::move(file), *now});
  }
}

void QuotaMeter::sample() {
  for (auto& [folder, group] : groups_) {
    const auto now = read_throttling(group.file);
    if (!now) continue;
    totals_.us += now->us - std::min(now->us, group.last.us);
    totals_.periods += now->periods - std::min(now->periods, group.last.periods);
    group.last = *now;
  }
}

}  // namespace laggard::collect
