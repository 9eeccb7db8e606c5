#include "lab/bench/layout.h"

#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <optional>
#include <system_error>

#include "base/file.h"
#include "base/text.h"

namespace laggard::lab::bench {

namespace {

constexpr std::size_t kIdBytes = 16;
constexpr std::string_view kBootPattern = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

bool is_hexadecimal(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

Result<std::string> boot_id() {
  const Result<std::string> text = read_file("/proc/sys/kernel/random/boot_id");
  if (!text) return tl::unexpected<Error>(text.error());
  return std::string(trim(*text));
}

Result<std::uint64_t> own_mount_namespace() {
  struct stat ns {};
  if (::stat("/proc/self/ns/mnt", &ns) != 0) return fail_errno(errno, "/proc/self/ns/mnt", "cannot be read");
  return ns.st_ino;
}

/// Finds a process in that mount namespace.
std::optional<std::string> inhabitant(std::uint64_t mount_namespace) {
  std::error_code error;
  for (std::filesystem::directory_iterator it("/proc", error), end; !error && it != end;
       it.increment(error)) {
    struct stat ns {};
    if (!to_number<int>(it->path().filename().native())) continue;
    if (::stat((it->path() / "ns/mnt").c_str(), &ns) == 0 && ns.st_ino == mount_namespace) {
      return it->path().filename().native();
    }
  }
  return std::nullopt;
}

}  // namespace

bool is_instance_id(std::string_view text) {
  return text.size() == 2 * kIdBytes && std::all_of(text.begin(), text.end(), is_hexadecimal);
}

bool is_boot_id(std::string_view text) {
  return text.size() == kBootPattern.size() &&
         std::equal(text.begin(), text.end(), kBootPattern.begin(),
                    [](char c, char pattern) { return pattern == 'x' ? is_hexadecimal(c) : c == pattern; });
}

Result<Instance> new_instance() {
  std::array<unsigned char, kIdBytes> chance{};
  if (::getrandom(chance.data(), chance.size(), 0) != static_cast<ssize_t>(chance.size())) {
    return fail_errno(errno, "getrandom", "gave no random numbers");
  }
  Result<std::string> boot = boot_id();
  if (!boot) return forward(boot);
  const Result<std::uint64_t> mounts = own_mount_namespace();
  if (!mounts) return tl::unexpected<Error>(mounts.error());
  return Instance{fmt::format("{:02x}", fmt::join(chance, "")), std::move(*boot), *mounts};
}

Status check_reachable(const Instance& instance, std::string_view name) {
  const Result<std::string> boot = boot_id();
  if (!boot) return tl::unexpected<Error>(boot.error());
  if (instance.boot != *boot) {
    return fail(ErrorCode::kUnavailable, {},
                "its bench was built before the machine was booted, which ended everything of it but files; "
                "nothing was touched: remove this file by hand, and the folder of its name");
  }
  const Result<std::uint64_t> mounts = own_mount_namespace();
  if (!mounts) return tl::unexpected<Error>(mounts.error());
  if (instance.mount_namespace == *mounts) return {};
  const std::optional<std::string> there = inhabitant(instance.mount_namespace);
  if (!there) return {};
  return fail(
      ErrorCode::kUnavailable, {},
      fmt::format("its bench was built in another mount namespace; nothing was touched: clean it from "
                  "there, with: nsenter --mount --target {} laggard-lab bench --clean --name {}",
                  *there, name));
}

std::string_view to_name(FileSystem file_system) {
  switch (file_system) {
    case FileSystem::kGluster:
      return "glusterfs";
    case FileSystem::kStriped:
      return "striped";
    case FileSystem::kCeph:
      break;
  }
  return "ceph";
}

std::optional<FileSystem> file_system_of(std::string_view name) {
  for (const FileSystem file_system : kFileSystems) {
    if (to_name(file_system) == name) return file_system;
  }
  return std::nullopt;
}

namespace {
constexpr std::size_t kFewestServers = 3;
constexpr std::size_t kLongestName = 12;
/// The bridge is isolated, so the addresses only have to differ from each other.
constexpr const char* kSubnet = "10.77.0.";
}  // namespace

std::string Layout::server_address(std::size_t i) const { return kSubnet + std::to_string(i); }
std::string Layout::client_address(std::size_t i) const { return kSubnet + std::to_string(100 + i); }
std::string Layout::third_party_address() const { return kSubnet + std::to_string(200); }

std::string Layout::monitor_address() const { return kSubnet + std::to_string(201); }

std::filesystem::path Layout::state() const { return root / ("laggard-" + name); }
std::filesystem::path Layout::disk(std::size_t server) const {
  return state() / ("disk" + std::to_string(server));
}
std::filesystem::path Layout::brick(std::size_t server) const {
  return state() / ("brick" + std::to_string(server));
}
std::filesystem::path Layout::mount(std::size_t client) const {
  return state() / ("mount" + std::to_string(client));
}
std::filesystem::path Layout::probe_mount(std::size_t client) const {
  return state() / ("probes" + std::to_string(client));
}

Status check(const Layout& layout) {
  const auto plain = [](unsigned char c) { return std::isalnum(c) != 0; };
  if (layout.name.empty() || layout.name.size() > kLongestName ||
      !std::all_of(layout.name.begin(), layout.name.end(), plain)) {
    return fail(ErrorCode::kBadUse, "--name",
                fmt::format("letters and digits, at most {}; not \"{}\"", kLongestName, layout.name));
  }
  if (layout.servers < kFewestServers || layout.servers > kMostHosts) {
    return fail(ErrorCode::kBadUse, "--servers",
                fmt::format("{} is not between {} and {}", layout.servers, kFewestServers, kMostHosts));
  }
  if (layout.clients < 1 || layout.clients > kMostHosts) {
    return fail(ErrorCode::kBadUse, "--clients",
                fmt::format("{} is not between 1 and {}", layout.clients, kMostHosts));
  }
  return {};
}

}  // namespace laggard::lab::bench
