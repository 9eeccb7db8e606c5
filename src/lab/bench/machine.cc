#include "lab/bench/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "base/text.h"

namespace laggard::lab::bench {

namespace {
/// The last line of what a program wrote is where programs say what is wrong.
std::string_view last_line(std::string_view text) {
  text = trim(text);
  const std::size_t at = text.rfind('\n');
  return at == std::string_view::npos ? text : text.substr(at + 1);
}
}  // namespace

Command repeat(const std::string& command) {
  return {{"sh", "-c", fmt::format("while {}; do :; done", command)}, {}};
}

Status Machine::must(const Command& command) {
  const Result<Output> output = run(command);
  if (!output) return tl::unexpected<Error>(output.error());
  if (output->status == 0) return {};
  const std::string said(last_line(output->text));
  return fail(ErrorCode::kUnavailable, fmt::format("{}", fmt::join(command.argv, " ")),
              fmt::format("ended with status {}{}{}", output->status, said.empty() ? "" : ": ", said));
}

namespace {
Command prefixed(std::vector<std::string> argv, Command command) {
  argv.insert(argv.end(), command.argv.begin(), command.argv.end());
  command.argv = std::move(argv);
  return command;
}
}  // namespace

Command urgent(Command command) { return prefixed({"nice", "-n", "-15"}, std::move(command)); }

Command inside(const std::filesystem::path& network, Command command) {
  return prefixed({"nsenter", "--net=" + network.native(), "--"}, std::move(command));
}

std::vector<Mount> parse_mounts(std::string_view mountinfo) {
  std::vector<Mount> mounts;
  for (const std::string_view line : split(mountinfo, '\n')) {
    const std::vector<std::string_view> words = split(line, ' ');
    // id, parent, device, root, point, options, optional fields, "-", type, source, options
    for (std::size_t i = 6; i + 2 < words.size(); ++i) {
      if (words[i] != "-") continue;
      mounts.push_back({std::string(words[4]), std::string(words[i + 1]), std::string(words[i + 2])});
      break;
    }
  }
  return mounts;
}

namespace {

constexpr std::array<Tool, 16> kTools{{
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
    {"fio", "fio"},
    {"postmark", "postmark"},
    {kSadc, "sysstat"},
}};
constexpr std::array<Tool, 2> kGlusterTools{
    {{"glusterfsd", "glusterfs-server"}, {"glusterfs", "glusterfs-client"}}};
constexpr std::array<Tool, 9> kCephTools{{
    {"ceph", "ceph-common"},
    {"monmaptool", "ceph-common"},
    {"ceph-mon", "ceph-mon"},
    {"ceph-mgr", "ceph-mgr"},
    {"ceph-mds", "ceph-mds"},
    {"ceph-osd", "ceph-osd"},
    {"ceph-fuse", "ceph-fuse"},
    {"setfattr", "attr"},
    {"curl", "curl"},
}};

bool found(Machine& machine, std::string_view program, std::string_view path) {
  if (program.front() == '/') return machine.exists(program);
  const std::vector<std::string_view> folders = split(path, ':');
  return std::any_of(folders.begin(), folders.end(), [&](std::string_view folder) {
    return !folder.empty() && machine.exists(std::filesystem::path(folder) / program);
  });
}

}  // namespace

std::vector<Tool> tools(FileSystem file_system) {
  std::vector<Tool> all(kTools.begin(), kTools.end());
  switch (file_system) {
    case FileSystem::kGluster:
      all.insert(all.end(), kGlusterTools.begin(), kGlusterTools.end());
      break;
    case FileSystem::kCeph:
      all.insert(all.end(), kCephTools.begin(), kCephTools.end());
      break;
    case FileSystem::kStriped:  // Its programs are ours.
      break;
  }
  return all;
}

Status check_tools(Machine& machine, const ToolSearch& search) {
  std::vector<std::string_view> programs;
  std::vector<std::string_view> packages;
  for (const Tool& tool : tools(search.file_system)) {
    if (found(machine, tool.program, search.path)) continue;
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

std::optional<CpuTimes> parse_cpu_times(std::string_view stat) {
  stat = stat.substr(0, stat.find('\n'));
  if (take_word(stat) != "cpu") return std::nullopt;
  constexpr std::size_t kFields = 8;
  std::array<std::uint64_t, kFields> ticks{};
  CpuTimes times;
  for (std::uint64_t& tick : ticks) {
    const auto value = to_number<std::uint64_t>(take_word(stat));
    if (!value) return std::nullopt;
    tick = *value;
    times.all += tick;
  }
  times.busy = times.all - ticks[3] - ticks[4];
  times.stolen = ticks[7];
  return times;
}

namespace {

std::optional<double> share(std::uint64_t from, std::uint64_t to, std::uint64_t all_from,
                            std::uint64_t all_to) {
  if (all_to <= all_from || to < from) return std::nullopt;
  return static_cast<double>(to - from) / static_cast<double>(all_to - all_from);
}

}  // namespace

std::optional<double> busy_share(const CpuTimes& from, const CpuTimes& to) {
  return share(from.busy, to.busy, from.all, to.all);
}

std::optional<double> stolen_share(const CpuTimes& from, const CpuTimes& to) {
  return share(from.stolen, to.stolen, from.all, to.all);
}

std::optional<std::uint64_t> parse_process_ticks(std::string_view stat) {
  // The name, in parentheses, may hold anything; after it come state and 10 numbers, then the four times.
  const std::size_t end = stat.rfind(')');
  if (end == std::string_view::npos) return std::nullopt;
  stat.remove_prefix(end + 1);
  for (int i = 0; i < 11; ++i) (void)take_word(stat);
  std::uint64_t sum = 0;
  for (int i = 0; i < 4; ++i) {
    const auto value = to_number<std::uint64_t>(take_word(stat));
    if (!value) return std::nullopt;
    sum += *value;
  }
  return sum;
}

}  // namespace laggard::lab::bench
