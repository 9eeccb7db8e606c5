#include "lab/bench/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/text.h"
#include "lab/bench/folders.h"

namespace laggard::lab::bench {

namespace {

constexpr std::string_view kVersion = "2";
/// A hundred servers write a tenth of it.
constexpr std::size_t kLongestJournal = std::size_t{1} << 18U;
constexpr std::size_t kLongestLine = 1024;
constexpr std::size_t kLongestNumber = 10;
constexpr std::size_t kLongestWord = 32;
constexpr std::size_t kMostWords = 16;

struct SettingPlace {
  Setting setting;
  std::string_view name;  ///< In the journal.
  std::string_view file;  ///< Below /sys/block/LOOP, or a whole path.
};

constexpr std::array<SettingPlace, 10> kPlaces{{
    {Setting::kScheduler, "scheduler", "queue/scheduler"},
    {Setting::kMaxSectors, "max-sectors", "queue/max_sectors_kb"},
    {Setting::kRotational, "rotational", "queue/rotational"},
    {Setting::kRequests, "requests", "queue/nr_requests"},
    {Setting::kReadAhead, "read-ahead", "queue/read_ahead_kb"},
    {Setting::kStrictLimit, "strict-limit", "bdi/strict_limit"},
    {Setting::kMaxRatio, "max-ratio", "bdi/max_ratio"},
    {Setting::kCongestionControl, "congestion-control", "/proc/sys/net/ipv4/tcp_allowed_congestion_control"},
    {Setting::kMemoryController, "memory-controller", "/sys/fs/cgroup/cgroup.subtree_control"},
    {Setting::kCpuController, "cpu-controller", "/sys/fs/cgroup/cgroup.subtree_control"},
}};

const SettingPlace& place_of(Setting setting) {
  const auto* const at =
      std::find_if(kPlaces.begin(), kPlaces.end(), [&](const auto& p) { return p.setting == setting; });
  LAGGARD_CHECK(at != kPlaces.end());
  return *at;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= kLongestNumber &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// The name of a module of the kernel.
bool is_module(std::string_view text) {
  return !text.empty() && text.size() <= kLongestWord && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

bool is_loop(std::string_view text) { return text.substr(0, 4) == "loop" && is_number(text.substr(4)); }

bool is_value(Setting setting, std::string_view text) {
  if (is_controller(setting)) return text.empty();
  if (setting == Setting::kScheduler) return is_module(text);
  if (setting != Setting::kCongestionControl) return is_number(text);
  const std::vector<std::string_view> words = split(text, ' ');
  return words.size() <= kMostWords && std::all_of(words.begin(), words.end(), is_module);
}

bool same_place(const Change& a, const Change& b) { return a.setting == b.setting && a.loop == b.loop; }

bool holds(const std::vector<Change>& changes, const Change& change) {
  return std::any_of(changes.begin(), changes.end(),
                     [&](const Change& other) { return same_place(other, change); });
}

std::optional<Change> parse_change(std::string_view line) {
  const std::vector<std::string_view> parts = split(line, '\t');
  if (parts.size() != 3) return std::nullopt;
  const auto* const place =
      std::find_if(kPlaces.begin(), kPlaces.end(), [&](const auto& p) { return p.name == parts[0]; });
  if (place == kPlaces.end()) return std::nullopt;
  Change change{place->setting, std::string(parts[1]), std::string(parts[2])};
  if (!is_sound(change)) return std::nullopt;
  return change;
}

std::optional<Instance> parse_instance(std::string_view line) {
  const std::vector<std::string_view> parts = split(line, '\t');
  if (parts.size() != 5 || parts[0] != "bench" || parts[1] != kVersion) return std::nullopt;
  const std::optional<std::uint64_t> mounts = to_number<std::uint64_t>(parts[4]);
  if (!is_instance_id(parts[2]) || !is_boot_id(parts[3]) || !mounts) return std::nullopt;
  Instance instance{std::string(parts[2]), std::string(parts[3]), *mounts};
  if (to_line(instance) != std::string(line) + "\n") return std::nullopt;
  return instance;
}

tl::unexpected<Error> bad_line(std::size_t line, std::string_view what) {
  return fail(ErrorCode::kDamaged, fmt::format("journal:{}", line), std::string(what));
}

/// Whether it can be the beginning of a write that was cut off.
bool can_be_a_beginning(std::string_view text) {
  return text.size() < kLongestLine &&
         std::none_of(text.begin(), text.end(), [](char c) { return is_control(c) && c != '\t'; });
}

/// The reason why a file cannot be a bench's journal.
std::optional<std::string_view> not_ours(const struct stat& file) {
  if (!S_ISREG(file.st_mode)) return "is no file";
  if (file.st_uid != ::geteuid()) return "belongs to another user";
  if ((file.st_mode & (S_IWGRP | S_IWOTH)) != 0) return "can be written by others";
  if (file.st_nlink > 1) return "has another name besides";
  if (file.st_size > static_cast<off_t>(kLongestJournal)) return "is larger than any that a bench writes";
  return std::nullopt;
}

constexpr const char* kHowOn = "; nothing was touched: look what it is, and remove it by hand";

Result<std::string> read_through(int fd, const std::string& where) {
  std::string text(kLongestJournal + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const Result<std::size_t> n = read_some(fd, {text.data() + size, text.size() - size}, where);
    if (!n) return tl::unexpected<Error>(n.error());
    if (*n == 0) break;
    size += *n;
  }
  text.resize(size);
  return text;
}

tl::unexpected<Error> not_opened(int why, const std::filesystem::path& path) {
  if (why != ELOOP && why != EISDIR && why != ENXIO)
    return fail_errno(why, path.string(), "cannot be opened");
  return fail(ErrorCode::kDamaged, path.string(), fmt::format("is no file{}", kHowOn));
}

/// Opens and locks a journal that only we can have written; an invalid descriptor when there is none.
Result<Fd> open_locked(const std::filesystem::path& path) {
  for (;;) {
    // Non-blocking, so that a pipe in its place cannot make us wait.
    Fd fd(::open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!fd.valid() && errno == ENOENT) return fd;
    if (!fd.valid()) return not_opened(errno, path);
    if (Status safe = check_root(path.parent_path()); !safe) return forward(safe);
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
      return fail(ErrorCode::kUnavailable, path.string(), "a bench is running; wait for it or end it");
    }
    struct stat here {};
    if (::fstat(fd.get(), &here) != 0) return fail_errno(errno, path.string(), "cannot be read");
    // Its owner may have removed it between our open and our lock.
    if (here.st_nlink == 0) continue;
    const std::optional<std::string_view> why = not_ours(here);
    if (!why) return fd;
    return fail(ErrorCode::kDamaged, path.string(), fmt::format("{}{}", *why, kHowOn));
  }
}

}  // namespace

std::filesystem::path path_of(Setting setting, std::string_view loop) {
  const std::string_view file = place_of(setting).file;
  if (is_of_machine(setting)) return file;
  return std::filesystem::path("/sys/block") / loop / file;
}

bool is_of_machine(Setting setting) { return place_of(setting).file.front() == '/'; }

bool is_controller(Setting setting) {
  return setting == Setting::kMemoryController || setting == Setting::kCpuController;
}

bool is_sound(const Change& change) {
  const bool placed = is_of_machine(change.setting) ? change.loop.empty() : is_loop(change.loop);
  return placed && is_value(change.setting, change.old);
}

std::string to_line(const Instance& instance) {
  return fmt::format("bench\t{}\t{}\t{}\t{}\n", kVersion, instance.id, instance.boot,
                     instance.mount_namespace);
}

std::string to_line(const Change& change) {
  LAGGARD_CHECK(is_sound(change));
  return fmt::format("{}\t{}\t{}\n", place_of(change.setting).name, change.loop, change.old);
}

Result<JournalText> parse_journal(std::string_view text) {
  if (text.size() > kLongestJournal) return bad_line(1, "is larger than any that a bench writes");
  const std::vector<std::string_view> lines = split(text, '\n');
  std::optional<Instance> instance = lines.size() < 2 ? std::nullopt : parse_instance(lines[0]);
  if (!instance) return bad_line(1, "does not say which bench of this version of laggard it is of");
  JournalText journal{std::move(*instance), {}};
  for (std::size_t i = 1; i + 1 < lines.size(); ++i) {
    std::optional<Change> change = parse_change(lines[i]);
    if (!change) return bad_line(i + 1, "is no change that a bench makes");
    if (holds(journal.changes, *change))
      return bad_line(i + 1, "changes a second time what a line before does");
    journal.changes.push_back(std::move(*change));
  }
  if (!can_be_a_beginning(lines.back())) return bad_line(lines.size(), "is no line that was cut off");
  return journal;
}

Result<FileJournal> FileJournal::create(const std::filesystem::path& path, const Instance& instance) {
  if (Status safe = check_root(path.parent_path()); !safe) return forward(safe);
  // It gets its name only after it is locked and has its first line, so that no process sees an empty one.
  Fd fd(::open(path.parent_path().c_str(), O_TMPFILE | O_RDWR | O_APPEND | O_CLOEXEC, 0600));
  if (!fd.valid()) return fail_errno(errno, path.string(), "cannot be created");
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return fail_errno(errno, path.string(), "cannot be locked");
  if (Status written = write_all(fd.get(), to_line(instance), path.string()); !written) {
    return forward(written);
  }
  if (::fdatasync(fd.get()) != 0) return fail_errno(errno, path.string(), "cannot be written");
  const std::string self = fmt::format("/proc/self/fd/{}", fd.get());
  if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) != 0) {
    if (errno != EEXIST) return fail_errno(errno, path.string(), "cannot be created");
    return fail(ErrorCode::kUnavailable, path.string(), "a bench is running; wait for it or end it");
  }
  return FileJournal(path, std::move(fd), JournalText{instance, {}});
}

Result<std::optional<FileJournal>> FileJournal::open(const std::filesystem::path& path) {
  Result<Fd> fd = open_locked(path);
  if (!fd) return forward(fd);
  if (!fd->valid()) return std::nullopt;
  const Result<std::string> text = read_through(fd->get(), path.string());
  if (!text) return tl::unexpected<Error>(text.error());
  Result<JournalText> parsed = parse_journal(*text);
  if (parsed) return FileJournal(path, std::move(*fd), std::move(*parsed));
  const std::string line = parsed.error().where.substr(parsed.error().where.find(':'));
  return fail(ErrorCode::kDamaged, path.string() + line, parsed.error().what + kHowOn);
}

Status FileJournal::enter(const Change& change) {
  if (!is_sound(change)) {
    return fail(ErrorCode::kUnavailable, path_of(change.setting, change.loop).string(),
                fmt::format("holds \"{}\", which the bench would not know how to restore", change.old));
  }
  if (holds(text_.changes, change)) return {};
  const std::string line = to_line(change);
  // A single write: after a crash a line is either complete or a beginning without a line end.
  const ssize_t n = ::write(fd_.get(), line.data(), line.size());
  if (n < 0) return fail_errno(errno, path_.string(), "cannot be written");
  if (n != static_cast<ssize_t>(line.size())) return fail_errno(ENOSPC, path_.string(), "cannot be written");
  if (::fdatasync(fd_.get()) != 0) return fail_errno(errno, path_.string(), "cannot be written");
  text_.changes.push_back(change);
  return {};
}

void FileJournal::remove() {
  struct stat open {};
  struct stat named {};
  // Another file of that name is not ours to remove.
  if (::fstat(fd_.get(), &open) == 0 && ::lstat(path_.c_str(), &named) == 0 && open.st_ino == named.st_ino &&
      open.st_dev == named.st_dev) {
    ::unlink(path_.c_str());
  }
  fd_.reset();
}

}  // namespace laggard::lab::bench
