#include "archive/new_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "archive/file_name.h"
#include "archive/stream_folder.h"
#include "base/file.h"

namespace laggard::archive {

namespace {

namespace fs = std::filesystem;

/// The name was free when the file was begun, but other programs may have created something there.
Status give_name(const fs::path& hidden) {
  const fs::path path = path_of_hidden(hidden).value_or(hidden);
  FileName name = parse_file_name(path.filename().string()).value_or(FileName{});
  int error = EEXIST;
  for (; error == EEXIST; ++name.copy) {
    error = rename_without_replacing(hidden, path.parent_path() / to_file_name(name));
  }
  if (error != 0) return fail_errno(error, path.string(), "cannot be given its name");
  return {};
}

}  // namespace

void NewFiles::add(NewFile file) {
  hosts_.insert(file.identity.host);
  std::optional<FileId> id = file_at(file.hidden);
  files_.push_back({.file = std::move(file), .id = id});
}

void NewFiles::erase(std::size_t index) {
  hosts_.erase(hosts_.find(files_[index].file.identity.host));
  files_.erase(files_.begin() + static_cast<std::ptrdiff_t>(index));
}

bool NewFiles::has(const FileIdentity& identity, std::int64_t day) const {
  return hosts_.contains(identity.host) && std::ranges::any_of(files_, [&](const Waiting& waiting) {
           return waiting.file.day == day && waiting.file.identity == identity;
         });
}

bool NewFiles::has_path(const fs::path& hidden) const {
  return std::ranges::any_of(files_, [&](const Waiting& waiting) { return waiting.file.hidden == hidden; });
}

/// Starts writing all files before it waits for the first, so that the file system writes its journal once
/// instead of once for each. (syncfs would take a single call, but also wait for all other programs' data.)
Status NewFiles::sync() {
  Status result;
  std::vector<Fd> opened(files_.size());
  for (std::size_t i = files_.size(); i-- > 0;) {
    const NewFile& file = files_[i].file;
    if (files_[i].synced) continue;
    opened[i] = Fd{::open(file.hidden.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
    struct stat found {};
    const bool is_there = opened[i].valid() ? ::fstat(opened[i].get(), &found) == 0 : errno != ENOENT;
    const bool is_ours =
        is_there && (!opened[i].valid() || FileId{found.st_dev, found.st_ino} == files_[i].id);
    if (!is_ours) {
      result = fail(ErrorCode::kUnavailable, file.hidden.string(),
                    "the file was removed or replaced while it was imported; import again");
      opened.erase(opened.begin() + static_cast<std::ptrdiff_t>(i));
      erase(i);
    } else if (!opened[i].valid()) {
      result = fail_errno(errno, file.hidden.string(), "cannot open");
    } else {
      static_cast<void>(
          ::sync_file_range(opened[i].get(), 0, 0, SYNC_FILE_RANGE_WRITE));  // Only to be faster.
    }
  }
  for (std::size_t i = files_.size(); i-- > 0;) {
    if (!opened[i].valid()) continue;
    files_[i].synced = ::fsync(opened[i].get()) == 0;
    if (files_[i].synced) continue;
    result = fail_errno(errno, files_[i].file.hidden.string(), "cannot sync");
    ::unlink(files_[i].file.hidden.c_str());
    erase(i);
  }
  return result;
}

Status NewFiles::name_all(WriteStats& stats) {
  if (files_.empty()) return {};
  const fs::path folder = files_.front().file.hidden.parent_path();
  Status result = sync();
  WriteStats named;
  for (std::size_t i = files_.size(); i-- > 0;) {
    if (!files_[i].synced) continue;
    if (Status given = give_name(files_[i].file.hidden); !given) {
      result = given;
      continue;
    }
    named.cells_added += files_[i].file.stats.cells_added;
    named.cells_already_there += files_[i].file.stats.cells_already_there;
    erase(i);
  }
  if (Status synced = sync_folder(folder); !synced) return synced;
  stats.cells_added += named.cells_added;
  stats.cells_already_there += named.cells_already_there;
  return result;
}

void NewFiles::discard() {
  for (const Waiting& waiting : files_) {
    if (file_at(waiting.file.hidden) == waiting.id) ::unlink(waiting.file.hidden.c_str());
  }
  files_.clear();
  hosts_.clear();
}

void NewFiles::remove_stale(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> hidden;
  for (fs::directory_iterator at{folder, error}, end; !error && at != end; at.increment(error)) {
    if (path_of_hidden(at->path())) hidden.push_back(at->path());
  }
  for (const fs::path& path : hidden) {
    const WriterName writer = parse_file_name(path_of_hidden(path)->filename().string())->writer;
    // A process that is still writing is not waited for.
    if (are_files_locked(folder, writer)) continue;
    const Result<LockFile> lock = lock_files(folder, writer);
    if (lock) fs::remove(path, error);
  }
}

Status NewFiles::with_own_name(Status status) {
  if (status) return status;
  if (const auto path = path_of_hidden(status.error().where)) status.error().where = path->string();
  return status;
}

}  // namespace laggard::archive
