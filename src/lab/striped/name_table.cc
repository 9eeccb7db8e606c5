#include "lab/striped/name_table.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/text.h"
#include "lab/striped/stripes.h"

namespace laggard::lab::striped {

Result<std::unique_ptr<NameTable>> NameTable::open(const std::filesystem::path& path, std::size_t server) {
  Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!file.valid()) return fail_errno(errno, path.string(), "cannot be opened");
  const Result<std::string> lines = read_file(path);
  if (!lines) return tl::unexpected<Error>(lines.error());
  std::unique_ptr<NameTable> table(new NameTable(std::move(file), server));
  table->replay(*lines);
  return table;
}

/// Lines of four fields, `+ KIND OBJECT PATH`, and of two, `- PATH`. The last one may be torn, and is then
/// passed over.
void NameTable::replay(std::string_view lines) {
  while (lines.find('\n') != std::string_view::npos) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(line.size() + 1);
    if (line.substr(0, 2) == "- ") {
      if (const auto there = entries_.find(line.substr(2)); there != entries_.end()) entries_.erase(there);
      continue;
    }
    const std::size_t kind_end = line.find(' ', 2);
    const std::size_t object_end = line.find(' ', kind_end + 1);
    if (kind_end == std::string_view::npos || object_end == std::string_view::npos) continue;
    const auto kind = to_number<std::uint64_t>(line.substr(2, kind_end - 2));
    const auto object = to_number<std::uint64_t>(line.substr(kind_end + 1, object_end - kind_end - 1));
    if (!kind || !object) continue;
    entries_[std::string(line.substr(object_end + 1))] = {kind_of(*kind), *object};
    made_ = std::max(made_, count_of(*object));
  }
}

OrErrno<void> NameTable::append(const std::string& line) {
  const ssize_t written = ::write(file_.get(), line.data(), line.size());
  if (written < 0) return tl::unexpected(errno);
  if (static_cast<std::size_t>(written) < line.size()) return tl::unexpected(ENOSPC);
  if (::fdatasync(file_.get()) != 0) return tl::unexpected(errno);
  return {};
}

std::optional<Entry> NameTable::look(std::string_view path) {
  const std::lock_guard lock(mutex_);
  const auto there = entries_.find(path);
  if (there == entries_.end()) return std::nullopt;
  return there->second;
}

OrErrno<Entry> NameTable::make(std::string_view path, Kind kind) {
  const std::lock_guard lock(mutex_);
  if (path.find('\n') != std::string_view::npos) return tl::unexpected(EINVAL);
  if (entries_.find(path) != entries_.end()) return tl::unexpected(EEXIST);
  const Entry entry{kind, object_number(server_, ++made_, is_pinned(path))};
  const auto kept = append(fmt::format("+ {} {} {}\n", static_cast<std::uint64_t>(kind), entry.object, path));
  if (!kept) return tl::unexpected(kept.error());
  entries_.emplace(path, entry);
  return entry;
}

OrErrno<void> NameTable::drop(std::string_view path) {
  const std::lock_guard lock(mutex_);
  const auto there = entries_.find(path);
  if (there == entries_.end()) return tl::unexpected(ENOENT);
  if (const auto kept = append(fmt::format("- {}\n", path)); !kept) return kept;
  entries_.erase(there);
  return {};
}

std::vector<std::string> NameTable::list(std::string_view folder) {
  const std::lock_guard lock(mutex_);
  const std::string begin = folder == "/" ? "/" : fmt::format("{}/", folder);
  std::vector<std::string> names;
  for (auto it = entries_.lower_bound(begin); it != entries_.end() && it->first.starts_with(begin); ++it) {
    const std::string name = it->first.substr(begin.size());
    if (name.find('/') == std::string::npos) names.push_back(name);
  }
  return names;
}

}  // namespace laggard::lab::striped
