#include "archive/displaced.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <system_error>

#include "archive/day_file.h"
#include "archive/file_name.h"
#include "base/file.h"

// A day file whose path, or whose log's path, somebody else has removed or replaced while it is being
// written.

namespace laggard::archive {

namespace {

/// The order of DayFile::log_.
constexpr std::array kLogSuffixes{"-wal", "-shm"};

}  // namespace

void DayFile::remember_place() {
  // O_PATH: closing any other descriptor of the file would drop the locks that SQLite has on it.
  if (!handle_.valid()) handle_ = Fd{::open(path().c_str(), O_PATH | O_CLOEXEC)};
  for (std::size_t i = 0; i < log_.size(); ++i) {
    if (!log_[i]) log_[i] = file_at(path().string() + kLogSuffixes[i]);
  }
}

FilePlace DayFile::place() const {
  struct stat open {};
  if (!handle_.valid() || ::fstat(handle_.get(), &open) != 0) return FilePlace::kInPlace;
  if (file_at(path()) != FileId{open.st_dev, open.st_ino}) {
    return open.st_nlink == 0 ? FilePlace::kRemoved : FilePlace::kMoved;
  }
  for (std::size_t i = 0; i < log_.size(); ++i) {
    if (log_[i] && file_at(path().string() + kLogSuffixes[i]) != log_[i]) return FilePlace::kWithoutLog;
  }
  return FilePlace::kInPlace;
}

Status DayFile::take_over_log(int mode) {
  int frames = 0;
  int folded = 0;
  const int status = sqlite3_wal_checkpoint_v2(database_.get(), nullptr, mode, &frames, &folded);
  if (status != SQLITE_OK && status != SQLITE_BUSY) {
    return database_.error(status, "cannot take over the write-ahead log");
  }
  if (status == SQLITE_OK && frames == folded) return {};
  return fail(ErrorCode::kTemporary, path().string(),
              "a reader keeps the write-ahead log from being taken over");
}

Status DayFile::fold_log() {
  mark_finished();  // No reader may look for this log beside the file.
  return take_over_log(SQLITE_CHECKPOINT_PASSIVE);
}

Status DayFile::copy_to(const std::filesystem::path& path, const char* vfs) {
  Result<Database> copy = Database::open(path, OpenMode::kCreate, vfs);
  if (!copy) return forward(copy);
  sqlite3_backup* const backup = sqlite3_backup_init(copy->get(), "main", database_.get(), "main");
  if (backup == nullptr) return copy->error(sqlite3_errcode(copy->get()), "cannot write the copy");
  const int stepped = sqlite3_backup_step(backup, -1);
  const int status = sqlite3_backup_finish(backup);
  if (stepped != SQLITE_DONE || status != SQLITE_OK)
    return copy->error(status == SQLITE_OK ? stepped : status, "cannot write the copy");
  // Like the original, the copy is marked as having a log.
  Result<std::unique_ptr<DayFile>> made = from(std::move(*copy));
  if (!made) return forward(made);
  (*made)->finish();
  return {};
}

void DayFile::remove_log() {
  for (std::size_t i = 0; i < log_.size(); ++i) {
    const std::string side = path().string() + kLogSuffixes[i];
    if (log_[i] && file_at(side) == log_[i]) ::unlink(side.c_str());
  }
}

namespace {

namespace fs = std::filesystem;

bool is_taken(const fs::path& path) {
  std::error_code error;
  return fs::symlink_status(path, error).type() != fs::file_type::not_found;
}

/// The path itself, or the next free name for that writer and second.
fs::path free_name(const fs::path& path) {
  const std::optional<FileName> name = parse_file_name(path.filename().string());
  LAGGARD_CHECK(name.has_value());
  FileName next = *name;
  fs::path target = path;
  while (is_taken(target)) {
    ++next.copy;
    target = path.parent_path() / to_file_name(next);
  }
  return target;
}

/// Why the file that has taken the path must not be written to; nothing when it may be.
std::optional<Error> why_foreign(const fs::path& path, const char* vfs) {
  if (!is_taken(path)) return std::nullopt;
  std::error_code error;
  if (fs::is_regular_file(fs::symlink_status(path, error))) {
    const Result<std::unique_ptr<DayFile>> there = DayFile::open_for_reading(path, vfs);
    // An empty file is what a crash leaves. A file that cannot be read now is reported when it is opened.
    if (there) return std::nullopt;
    const ErrorCode code = there.error().code;
    if (code != ErrorCode::kBadInput && code != ErrorCode::kDamaged && code != ErrorCode::kTooNew &&
        code != ErrorCode::kTooOld) {
      return std::nullopt;
    }
  }
  return Error{
      ErrorCode::kBadUse, path.string(),
      "was replaced while recording by something that is no recording; move it away and record again"};
}

void remove_copy(const fs::path& copy) {
  std::error_code ignored;
  for (const char* suffix : {"", "-journal", "-wal", "-shm"}) fs::remove(copy.string() + suffix, ignored);
}

bool may_heal(const Error& error) {
  return error.code == ErrorCode::kNoSpace || error.code == ErrorCode::kNoPermission ||
         error.code == ErrorCode::kTemporary || error.code == ErrorCode::kNotFound;
}

}  // namespace

Result<Displaced> leave_displaced(std::unique_ptr<DayFile>& file, const char* vfs) {
  // A file that is still hidden is saved under the name that it was to get.
  const std::optional<fs::path> named = path_of_hidden(file->path());
  const fs::path path = named.value_or(file->path());
  const FilePlace place = file->place();
  Displaced result;
  if (place == FilePlace::kWithoutLog) {
    if (Status folded = file->fold_log(); !folded) return forward(folded);
    file.reset();
    result.said =
        path.string() + ": its write-ahead log was removed or replaced while recording; nothing is lost";
    return result;
  }
  const std::string what = path.string() + (is_taken(path) ? ": the file was replaced while recording; "
                                                           : ": the file was removed while recording; ");
  const bool complete = place == FilePlace::kMoved && !named && file->fold_log().has_value();
  // The copy is hidden, and not named like an archive, until it is whole.
  const fs::path copy = path.parent_path() / ("." + path.filename().string() + ".copy");
  if (!complete) {
    remove_copy(copy);
    const Status copied = file->copy_to(copy, vfs);
    if (!copied) remove_copy(copy);
    if (!copied && may_heal(copied.error())) return tl::unexpected<Error>(copied.error());
    result.lost = !copied;
  }
  file->remove_log();
  file.reset();
  result.foreign = why_foreign(path, vfs);
  if (complete) {
    result.said = what + "what was recorded until then is where it was moved, and it goes on in a new file";
    return result;
  }
  if (result.lost) {
    result.said = what + "what it held is lost, and it goes on in a new file";
    return result;
  }
  const fs::path target = free_name(path);
  std::error_code error;
  fs::rename(copy, target, error);
  // Without the sync a power cut may undo the renaming, which is no reason to stop.
  static_cast<void>(sync_folder(target.parent_path()).has_value());
  result.said =
      what + fmt::format("what it held is saved in {}", (error ? copy : target).filename().string());
  return result;
}

}  // namespace laggard::archive
