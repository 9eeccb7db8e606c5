#include "archive/watched.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <string>
#include <system_error>

#include "archive/format.h"
#include "base/file.h"

namespace laggard::archive {

namespace {

namespace fs = std::filesystem;

fs::path watched_mark(const fs::path& recording) {
  return recording / folder_of(Stream::kMetrics) / ".watched";
}
fs::path wanted_mark(const fs::path& recording) { return recording / folder_of(Stream::kEvents) / ".wanted"; }

/// Whether a lock of some host lies there (lock.h).
bool is_being_written(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator at{folder, error}, end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with('.') && name.ends_with(".lock")) return true;
  }
  return false;
}

/// Never through a link.
void touch(const fs::path& mark) {
  if (!is_being_written(mark.parent_path())) return;
  constexpr mode_t kMode = 0644;
  const Fd file(::open(mark.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, kMode));
  if (file.get() >= 0) static_cast<void>(::futimens(file.get(), nullptr));
}

/// In a recording, or in those of a folder.
void mark(const fs::path& path, fs::path (*mark_of)(const fs::path& recording)) {
  std::error_code error;
  if (fs::is_directory(mark_of(path).parent_path(), error)) return touch(mark_of(path));
  for (fs::directory_iterator at{path, error}, end; !error && at != end; at.increment(error)) {
    std::error_code none;
    if (fs::is_directory(mark_of(at->path()).parent_path(), none)) touch(mark_of(at->path()));
  }
}

std::optional<WallTime> marked_at(const fs::path& path) {
  struct stat mark {};
  if (::lstat(path.c_str(), &mark) != 0 || !S_ISREG(mark.st_mode)) return std::nullopt;
  constexpr std::int64_t kNsPerSecond = 1'000'000'000;
  return from_unix_ns(mark.st_mtim.tv_sec * kNsPerSecond + mark.st_mtim.tv_nsec);
}

}  // namespace

void mark_watched(const fs::path& path) { mark(path, watched_mark); }

bool is_watched(const fs::path& recording, WallTime now) {
  const auto at = marked_at(watched_mark(recording));
  return at && *at >= now - kWatchedFor;
}

void mark_wanted(const fs::path& path) { mark(path, wanted_mark); }

std::optional<WallTime> wanted_at(const fs::path& recording) { return marked_at(wanted_mark(recording)); }

}  // namespace laggard::archive
