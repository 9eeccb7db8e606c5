#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace laggard::collect {

/// Which process a ping's file belongs to, told by the file's name so that whoever finds it later knows
/// whether that process can still be using it.
struct PingOwner {
  std::uint64_t host = 0;           ///< A hash of the host's name as recorded.
  std::string boot;                 ///< Of the kernel, 32 hexadecimal digits.
  std::uint64_t pid_namespace = 0;  ///< The namespace that `process` is a number of.
  std::uint64_t process = 0;
  std::uint64_t started = 0;  ///< Of the process, in ticks since the boot: numbers of processes come again.
  bool operator==(const PingOwner&) const = default;
};

/// This process, as /proc below `root` shows it.
[[nodiscard]] PingOwner this_owner(const std::filesystem::path& root, std::string_view host);

/// `.laggard-ping-HOST-BOOT-NAMESPACE-PROCESS-STARTED-SERIAL`: hidden, and nobody else makes such names.
[[nodiscard]] std::string ping_file_name(const PingOwner& owner, std::uint64_t serial);
/// False when it is no such name to the last character.
[[nodiscard]] bool parse_ping_file_name(std::string_view name, PingOwner& owner);

/// FNV-1a: a name's place among others, the same in every run.
[[nodiscard]] std::uint64_t ping_hash(std::string_view text);

/// What a ping's file begins with; who finds one can read what it is.
inline constexpr std::string_view kPingText = "A probe of `laggard record pings`, safe to remove.\n";

/// Whether what was written to `age` ago by `owner` is provably left by a recorder that was killed:
/// - of a process of this boot and namespace that is no more, or
/// - of another boot of a host of this name, an hour old. A recorder that lives writes at least every
///   PingSource::kLongestInterval, so that two machines of one name do not take each other's files.
[[nodiscard]] bool is_abandoned_ping(const PingOwner& owner, const PingOwner& us, std::chrono::seconds age,
                                     const std::filesystem::path& root);

/// Removes all files of this process in a directory, those too that it has lost sight of.
void remove_pings_of(const std::filesystem::path& directory, const PingOwner& us);

/// Removes what recorders that were killed left in a directory, and only what is provably theirs: a regular
/// file of this user with such a name and kPingText (or nothing yet) in it, for which is_abandoned_ping holds
/// by the clock of the file system, which is that of `own`: a file that was written just now.
/// \return how many were removed.
std::size_t remove_abandoned_pings(const std::filesystem::path& directory, const PingOwner& us,
                                   const std::string& own, const std::filesystem::path& root);

}  // namespace laggard::collect
