#include "archive/prune.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <tuple>

#include "archive/file_name.h"
#include "archive/format.h"
#include "archive/stream_folder.h"

namespace laggard::archive {

namespace {

namespace fs = std::filesystem;

struct StoredFile {
  fs::path path;
  FileName name;
  std::uint64_t bytes = 0;  ///< With its journals.
  bool in_use = false;
  bool is_last = false;  ///< Of its writer and stream.
};

std::vector<fs::path> with_journals(const fs::path& path) {
  return {path, path.string() + "-wal", path.string() + "-shm", path.string() + "-journal"};
}

void sort_by_age(std::vector<StoredFile>& files) {
  std::ranges::sort(files, [](const StoredFile& a, const StoredFile& b) {
    return std::tie(a.name.start, a.name.writer, a.name.copy, a.path) <
           std::tie(b.name.start, b.name.writer, b.name.copy, b.path);
  });
}

Result<std::vector<StoredFile>> list(const fs::path& folder, const std::string& host) {
  std::vector<StoredFile> files;
  std::error_code error;
  for (fs::directory_iterator at{folder, error}, end; !error && at != end; at.increment(error)) {
    const std::optional<FileName> name = parse_file_name(at->path().filename().string());
    if (!name || !(host.empty() || name->writer.host == host)) continue;
    StoredFile file{.path = at->path(), .name = *name};
    for (const fs::path& part : with_journals(file.path)) {
      std::error_code absent;
      const std::uintmax_t size = fs::file_size(part, absent);
      if (!absent) file.bytes += size;
    }
    files.push_back(std::move(file));
  }
  if (error) return fail_errno(error.value(), folder.string(), "cannot list the folder");
  sort_by_age(files);
  return files;
}

/// A writer has its lock before it has a file, and a file that is being written has a log.
void mark_used(const fs::path& folder, std::vector<StoredFile>& files) {
  std::map<WriterName, StoredFile*> last;
  for (StoredFile& file : files) last[file.name.writer] = &file;
  std::map<WriterName, bool> is_locked;
  for (const auto& [writer, file] : last) {
    file->is_last = true;
    is_locked[writer] = are_files_locked(folder, writer);
  }
  for (StoredFile& file : files) {
    std::error_code error;
    if (!is_locked[file.name.writer] || !fs::exists(file.path.string() + "-wal", error)) continue;
    file.in_use = true;
    last[file.name.writer]->in_use = true;
  }
}

/// Of all streams.
Result<std::vector<StoredFile>> list_all(const fs::path& recording, const std::string& host) {
  std::vector<StoredFile> all;
  const auto is_there = [&](Stream stream) {
    std::error_code error;
    return fs::exists(recording / folder_of(stream), error) || error;
  };
  const bool any = std::ranges::any_of(kStreams, is_there);
  for (const Stream stream : kStreams) {
    if (any && !is_there(stream)) continue;
    const fs::path folder = recording / folder_of(stream);
    Result<std::vector<StoredFile>> files = list(folder, host);
    if (!files) return files;
    mark_used(folder, *files);
    all.insert(all.end(), std::make_move_iterator(files->begin()), std::make_move_iterator(files->end()));
  }
  sort_by_age(all);
  return all;
}

bool is_too_old(const StoredFile& file, const Retention& retention, WallTime now) {
  if (!retention.keep_age) return false;
  const std::int64_t next_day = recording_day(file.name.start) + 1;
  const WallTime end = WallTime{std::chrono::hours{24} * next_day} + kRotation;
  return now - end > *retention.keep_age;
}

}  // namespace

Result<Pruned> prune(const fs::path& recording, const Retention& retention, WallTime now) {
  Result<std::vector<StoredFile>> files = list_all(recording, retention.host);
  if (!files) return forward(files);
  Pruned pruned;
  for (const StoredFile& file : *files) pruned.bytes_left += file.bytes;
  for (const StoredFile& file : *files) {
    const bool too_much = !file.is_last && retention.max_bytes && pruned.bytes_left > *retention.max_bytes;
    if (file.in_use || !(too_much || is_too_old(file, retention, now))) continue;
    for (const fs::path& part : with_journals(file.path)) {
      std::error_code error;
      fs::remove(part, error);
      if (error) return fail_errno(error.value(), part.string(), "cannot delete");
    }
    pruned.files.push_back(file.path);
    pruned.bytes_freed += file.bytes;
    pruned.bytes_left -= file.bytes;
  }
  return pruned;
}

}  // namespace laggard::archive
