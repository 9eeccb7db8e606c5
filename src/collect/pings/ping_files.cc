#include "collect/pings/ping_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <optional>
#include <system_error>

#include "base/file.h"
#include "base/text.h"

namespace laggard::collect {

namespace {

constexpr std::string_view kPrefix = ".laggard-ping-";
constexpr std::size_t kBootDigits = 32;
constexpr std::chrono::hours kAbandoned{1};
/// A directory of pings holds a few files; one that holds far more is searched no further.
constexpr std::size_t kMostEntries = 100'000;

bool to_hex_number(std::string_view text, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  return error == std::errc{} && end == text.data() + text.size();
}

/// The 22nd field of /proc/PID/stat; nothing when there is no such process, or when it has ended and only
/// nobody has waited for it, as where a container's first process does not. The second field is the program's
/// name in brackets and may hold anything; the third is the state.
std::optional<std::uint64_t> start_of(const std::filesystem::path& root, std::string_view process) {
  const auto stat = read_file(root / "proc" / process / "stat");
  if (!stat) return std::nullopt;
  const std::size_t bracket = stat->rfind(')');
  if (bracket == std::string::npos) return std::nullopt;
  std::string_view rest = std::string_view(*stat).substr(bracket + 1);
  const std::string_view state = take_word(rest);
  if (state == "Z" || state == "X") return std::nullopt;
  constexpr int kBetween = 18;
  for (int field = 0; field < kBetween; ++field) static_cast<void>(take_word(rest));
  return to_number<std::uint64_t>(take_word(rest));
}

bool is_alive(const PingOwner& owner, const std::filesystem::path& root) {
  return start_of(root, std::to_string(owner.process)) == owner.started;
}

bool says_what_it_is(int directory, const char* name, off_t size) {
  if (size == 0) return true;  // Killed between making and writing it.
  const Fd file{::openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
  std::array<char, kPingText.size()> begin{};
  return file.valid() && ::pread(file.get(), begin.data(), begin.size(), 0) == ssize_t{begin.size()} &&
         std::string_view(begin.data(), begin.size()) == kPingText;
}

/// Calls `visit(directory, name)` for what is in a directory, bounded.
template <typename Visit>
void for_each_name(const std::filesystem::path& directory, const Visit& visit) {
  const std::unique_ptr<DIR, decltype([](DIR* open) { ::closedir(open); })> open{
      ::opendir(directory.c_str())};
  if (open == nullptr) return;
  std::size_t seen = 0;
  for (const dirent* entry = nullptr; (entry = ::readdir(open.get())) != nullptr && seen < kMostEntries;
       ++seen)
    visit(::dirfd(open.get()), entry->d_name);
}

class Finder {
 public:
  Finder(int directory, const PingOwner& us, const std::filesystem::path& root, time_t now)
      : directory_(directory), us_(us), root_(root), now_(now) {}

  [[nodiscard]] bool is_abandoned(const char* name) const {
    PingOwner owner;
    if (!parse_ping_file_name(name, owner)) return false;
    struct stat file {};
    if (::fstatat(directory_, name, &file, AT_SYMLINK_NOFOLLOW) != 0) return false;
    if (!S_ISREG(file.st_mode) || file.st_uid != ::geteuid()) return false;
    const bool over = is_abandoned_ping(owner, us_, std::chrono::seconds(now_ - file.st_mtime), root_);
    return over && says_what_it_is(directory_, name, file.st_size);
  }

 private:
  int directory_;
  const PingOwner& us_;
  const std::filesystem::path& root_;
  time_t now_;
};

}  // namespace

std::uint64_t ping_hash(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

PingOwner this_owner(const std::filesystem::path& root, std::string_view host) {
  PingOwner owner;
  owner.host = ping_hash(host);
  if (const auto boot = read_file(root / "proc/sys/kernel/random/boot_id")) {
    for (const char c : *boot) {
      if (to_number<int>(std::string_view(&c, 1)) || (c >= 'a' && c <= 'f')) owner.boot += c;
    }
  }
  owner.boot.resize(kBootDigits, '0');
  struct stat pid_namespace {};
  if (::stat((root / "proc/self/ns/pid").c_str(), &pid_namespace) == 0)
    owner.pid_namespace = pid_namespace.st_ino;
  owner.process = static_cast<std::uint64_t>(::getpid());
  owner.started = start_of(root, "self").value_or(0);
  return owner;
}

bool is_abandoned_ping(const PingOwner& owner, const PingOwner& us, std::chrono::seconds age,
                       const std::filesystem::path& root) {
  if (owner.host != us.host || owner == us) return false;
  if (owner.boot != us.boot) return age > kAbandoned;
  return owner.pid_namespace == us.pid_namespace && !is_alive(owner, root);
}

std::string ping_file_name(const PingOwner& owner, std::uint64_t serial) {
  return fmt::format("{}{:016x}-{}-{:x}-{:x}-{:x}-{:x}", kPrefix, owner.host, owner.boot, owner.pid_namespace,
                     owner.process, owner.started, serial);
}

bool parse_ping_file_name(std::string_view name, PingOwner& owner) {
  if (!name.starts_with(kPrefix)) return false;
  const auto fields = split(name.substr(kPrefix.size()), '-');
  constexpr std::size_t kFields = 6;
  if (fields.size() != kFields || fields[1].size() != kBootDigits) return false;
  std::uint64_t serial = 0;
  std::uint64_t half = 0;
  owner.boot = fields[1];
  return to_hex_number(fields[0], owner.host) && to_hex_number(fields[1].substr(0, 16), half) &&
         to_hex_number(fields[1].substr(16), half) && to_hex_number(fields[2], owner.pid_namespace) &&
         to_hex_number(fields[3], owner.process) && to_hex_number(fields[4], owner.started) &&
         to_hex_number(fields[5], serial) && ping_file_name(owner, serial) == name;
}

void remove_pings_of(const std::filesystem::path& directory, const PingOwner& us) {
  for_each_name(directory, [&](int folder, const char* name) {
    PingOwner owner;
    if (parse_ping_file_name(name, owner) && owner == us) ::unlinkat(folder, name, 0);
  });
}

std::size_t remove_abandoned_pings(const std::filesystem::path& directory, const PingOwner& us,
                                   const std::string& own, const std::filesystem::path& root) {
  std::size_t removed = 0;
  std::optional<Finder> finder;
  bool is_told = true;  // What time it is.
  for_each_name(directory, [&](int folder, const char* name) {
    if (!finder && is_told) {
      struct stat now {};
      is_told = ::fstatat(folder, own.c_str(), &now, AT_SYMLINK_NOFOLLOW) == 0;
      if (is_told) finder.emplace(folder, us, root, now.st_mtime);
    }
    if (finder && finder->is_abandoned(name) && ::unlinkat(folder, name, 0) == 0) ++removed;
  });
  return removed;
}

}  // namespace laggard::collect
