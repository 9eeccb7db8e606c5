// What becomes of a day file's names while it is being written.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <system_error>

#include "archive/day_file.h"

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
  mark_finished();  // Nobody shall look for this log beside the file.
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
  // It says that it has a log, as the original does.
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

}  // namespace laggard::archive
