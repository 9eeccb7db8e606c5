#include "archive/stream_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/file.h"

namespace laggard::archive {

namespace {

namespace fs = std::filesystem;

Status make_directory(const fs::path& directory) {
  std::error_code error;
  if (fs::is_directory(directory, error)) return {};
  if (directory.has_parent_path() && directory.parent_path() != directory) {
    if (Status made = make_directory(directory.parent_path()); !made) return made;
  }
  fs::create_directory(directory, error);
  if (error) return fail_errno(error.value(), directory.string(), "cannot create the folder");
  return sync_folder(directory.has_parent_path() ? directory.parent_path() : ".");
}

enum class Found : std::uint8_t { kNothing, kFolder, kSomethingElse };

Result<Found> look_at(const fs::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0) {
    return S_ISDIR(status.st_mode) ? Found::kFolder : Found::kSomethingElse;
  }
  if (errno == ENOENT || errno == ENOTDIR) return Found::kNothing;
  return fail_errno(errno, path.string(), "cannot look at the folder");
}

}  // namespace

std::optional<FileId> file_at(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileId{status.st_dev, status.st_ino};
}

std::optional<FileStamp> stamp_of(const fs::path& path) {
  constexpr std::int64_t kNsPerSecond = 1'000'000'000;
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileStamp{.id = {status.st_dev, status.st_ino},
                   .bytes = status.st_size,
                   .modified_ns = status.st_mtim.tv_sec * kNsPerSecond + status.st_mtim.tv_nsec,
                   .changed_ns = status.st_ctim.tv_sec * kNsPerSecond + status.st_ctim.tv_nsec};
}

Result<StreamFolder> StreamFolder::open(const fs::path& recording, Stream stream) {
  StreamFolder folder;
  folder.recording_.path = recording;
  folder.stream_.path = recording / folder_of(stream);
  if (Status made = make_directory(folder.stream_.path); !made) return forward(made);
  // Links that exist from the beginning are intended: the folders that they lead to are kept.
  std::error_code error;
  if (fs::is_symlink(folder.recording_.path, error) || fs::is_symlink(folder.stream_.path, error)) {
    folder.recording_.path = fs::canonical(recording, error);
    folder.stream_.path = fs::canonical(recording / folder_of(stream), error);
    if (error) return fail_errno(error.value(), recording.string(), "cannot look at the folder");
  }
  if (Status known = folder.remember(); !known) return forward(known);
  return folder;
}

Status StreamFolder::remember() {
  for (Part* part : {&recording_, &stream_}) {
    const std::optional<FileId> id = file_at(part->path);
    if (!id) return fail_errno(errno, part->path.string(), "cannot look at the folder");
    part->id = *id;
  }
  return {};
}

Result<bool> StreamFolder::keep(const std::function<void(const std::string&)>& say) {
  std::string what;
  for (const Part* part : {&recording_, &stream_}) {
    if (file_at(part->path) == part->id) continue;
    Result<Found> found = look_at(part->path);
    if (!found) return forward(found);
    if (*found == Found::kSomethingElse) {
      return fail(ErrorCode::kBadUse, part->path.string(),
                  "was replaced while recording and is no folder any more; nothing is written into it");
    }
    if (!what.empty()) continue;
    what =
        part->path.string() + (*found == Found::kNothing
                                   ? ": the folder was removed while recording, and is made again"
                                   : ": the folder was replaced while recording; it goes on in the new one");
  }
  if (what.empty()) return false;
  if (Status made = make_directory(stream_.path); !made) return forward(made);
  if (Status known = remember(); !known) return forward(known);
  say(what);
  return true;
}

namespace {

std::filesystem::path lock_path(const std::filesystem::path& folder, const WriterName& writer) {
  return folder / ("." + to_prefix(writer) + ".lock");
}

}  // namespace

Result<LockFile> lock_files(const std::filesystem::path& folder, const WriterName& writer) {
  const std::string what = writer.recorder.empty() ? "" : writer.recorder + " of ";
  return LockFile::acquire(
      lock_path(folder, writer), folder.string(),
      fmt::format("is writing {}host {} here; stop it or write to another recording", what, writer.host));
}

Result<LockFile> lock_files(const std::filesystem::path& folder, const WriterName& writer, LockFile spare) {
  if (spare.move_to(lock_path(folder, writer))) return spare;
  return lock_files(folder, writer);
}

bool are_files_locked(const std::filesystem::path& folder, const WriterName& writer) {
  return LockFile::is_held(lock_path(folder, writer));
}

}  // namespace laggard::archive
