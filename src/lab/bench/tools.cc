#include "lab/bench/tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "base/text.h"

namespace laggard::lab::bench {

namespace {

constexpr std::array<Tool, 18> kTools{{
    {"ip", "iproute2"},
    {"tc", "iproute2"},
    {"nsenter", "util-linux"},
    {"unshare", "util-linux"},
    {"losetup", "mount"},
    {"mount", "mount"},
    {"umount", "mount"},
    {"chrt", "util-linux"},
    {"mkfs.ext4", "e2fsprogs"},
    {"ethtool", "ethtool"},
    {"sysctl", "procps"},
    {"nft", "nftables"},
    {"socat", "socat"},
    {"glusterfsd", "glusterfs-server"},
    {"glusterfs", "glusterfs-client"},
    {"fio", "fio"},
    {"postmark", "postmark"},
    {kSadc, "sysstat"},
}};

bool found(Machine& machine, std::string_view program, std::string_view path) {
  if (program.front() == '/') return machine.exists(program);
  const std::vector<std::string_view> folders = split(path, ':');
  return std::any_of(folders.begin(), folders.end(), [&](std::string_view folder) {
    return !folder.empty() && machine.exists(std::filesystem::path(folder) / program);
  });
}

}  // namespace

std::span<const Tool> tools() { return kTools; }

Status check_tools(Machine& machine, std::string_view path) {
  std::vector<std::string_view> programs;
  std::vector<std::string_view> packages;
  for (const Tool& tool : kTools) {
    if (found(machine, tool.program, path)) continue;
    programs.push_back(tool.program);
    if (std::find(packages.begin(), packages.end(), tool.package) == packages.end()) {
      packages.push_back(tool.package);
    }
  }
  if (programs.empty()) return {};
  return fail(
      ErrorCode::kNotFound, {},
      fmt::format("the bench runs programs that are not installed ({}); get them with: apt-get install {}",
                  fmt::join(programs, ", "), fmt::join(packages, " ")));
}

}  // namespace laggard::lab::bench
