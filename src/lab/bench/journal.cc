#include "lab/bench/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <utility>

#include "base/file.h"
#include "base/text.h"

namespace laggard::lab::bench {

namespace {

constexpr std::array<std::pair<ChangeKind, std::string_view>, 6> kNames{{
    {ChangeKind::kFolder, "folder"},
    {ChangeKind::kSetting, "setting"},
    {ChangeKind::kNetwork, "network"},
    {ChangeKind::kMount, "mount"},
    {ChangeKind::kLoop, "loop"},
    {ChangeKind::kMemoryGroup, "memory-group"},
}};

std::string_view to_name(ChangeKind kind) {
  return std::find_if(kNames.begin(), kNames.end(), [&](const auto& n) { return n.first == kind; })->second;
}

std::optional<ChangeKind> kind_of(std::string_view name) {
  const auto* const at =
      std::find_if(kNames.begin(), kNames.end(), [&](const auto& n) { return n.second == name; });
  if (at == kNames.end()) return std::nullopt;
  return at->first;
}

std::optional<Change> parse_line(std::string_view line) {
  const std::vector<std::string_view> parts = split(line, '\t');
  if (parts.size() != 3 || parts[1].empty()) return std::nullopt;
  const std::optional<ChangeKind> kind = kind_of(parts[0]);
  if (!kind) return std::nullopt;
  return Change{*kind, std::string(parts[1]), std::string(parts[2])};
}

bool plain(std::string_view text) { return text.find_first_of("\t\n") == std::string_view::npos; }

}  // namespace

std::string to_line(const Change& change) {
  LAGGARD_CHECK(!change.what.empty() && plain(change.what) && plain(change.old));
  return fmt::format("{}\t{}\t{}\n", to_name(change.kind), change.what, change.old);
}

Result<std::vector<Change>> parse_journal(std::string_view text) {
  std::vector<Change> changes;
  for (std::size_t line = 1;; ++line) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return changes;
    std::optional<Change> change = parse_line(text.substr(0, end));
    if (!change) {
      return fail(ErrorCode::kDamaged, fmt::format("journal:{}", line),
                  "is not a change that this version of laggard knows how to undo");
    }
    changes.push_back(std::move(*change));
    text.remove_prefix(end + 1);
  }
}

Result<FileJournal> FileJournal::open(const std::filesystem::path& path) {
  for (;;) {
    Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    if (!fd.valid()) return fail_errno(errno, path.string(), "cannot be opened");
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
      return fail(ErrorCode::kUnavailable, path.string(), "a bench is running; wait for it or end it");
    }
    // Its owner may have removed it between our opening and our locking.
    struct stat here {};
    if (::fstat(fd.get(), &here) == 0 && here.st_nlink == 0) continue;
    const Result<std::string> text = read_file(path);
    if (!text) return tl::unexpected<Error>(text.error());
    Result<std::vector<Change>> entries = parse_journal(*text);
    if (!entries) return forward(entries);
    FileJournal journal(path, std::move(fd));
    journal.entries_ = std::move(*entries);
    return journal;
  }
}

Status FileJournal::enter(const Change& change) {
  const std::string line = to_line(change);
  // One write: a line is there as a whole or, after a crash, as a beginning without an end.
  const ssize_t n = ::write(fd_.get(), line.data(), line.size());
  if (n != static_cast<ssize_t>(line.size()) || ::fdatasync(fd_.get()) != 0) {
    return fail_errno(errno, path_.string(), "cannot be written");
  }
  entries_.push_back(change);
  return {};
}

Status FileJournal::clear() {
  entries_.clear();
  if (::ftruncate(fd_.get(), 0) != 0) return fail_errno(errno, path_.string(), "cannot be emptied");
  return {};
}

void FileJournal::remove() {
  ::unlink(path_.c_str());
  fd_.reset();
}

}  // namespace laggard::lab::bench
