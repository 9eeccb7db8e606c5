// How a day file is opened: beside a writer, alone with what a crash has left beside it, or to continue it.
#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "archive/day_file.h"
#include "archive/file_name.h"
#include "archive/format.h"
#include "archive/stream_folder.h"

namespace laggard::archive {

namespace {

constexpr std::string_view kWayOut = "'laggard info --recover' looks for the rest";

/// What is missing from a file that was not finished; empty when nothing is.
std::string what_log_lost(LogState log, bool file_says_log) {
  switch (log) {
    case LogState::kWhole:
      return "";
    case LogState::kBroken:
      return fmt::format(
          "its write-ahead log is damaged or was cut: what follows its last sound flush is lost; {}",
          kWayOut);
    case LogState::kTorn:
      return "its write-ahead log ends in the middle of a flush, as a power cut or a cut leaves it: what was "
             "recorded last is lost";
    case LogState::kEmpty:
      if (!file_says_log) return "";
      return "its write-ahead log is empty, and no index beside it says that it always was: what was "
             "recorded "
             "last may be lost";
    case LogState::kAbsent:
      if (!file_says_log) return "";
      return "it was copied or left without its write-ahead log, and what was recorded last is lost with "
             "that";
  }
  return "";
}

/// Without the time of its last change: SQLite, opening a log for root, sets its owner anew.
std::optional<FileStamp> stamp_of_log(const std::filesystem::path& database) {
  std::optional<FileStamp> stamp = stamp_of(database.string() + "-wal");
  if (stamp) stamp->changed_ns = 0;
  return stamp;
}

/// Whether the log, as it is now, is known to be sound: it is what was gone through, or goes on from there.
bool is_known_sound(const FileStamp& now, KnownLog& log) {
  const std::optional<FileStamp> before = std::exchange(log.seen, now);
  return log.sound && log.sound->id == now.id && (now == *log.sound || now != before);
}

}  // namespace

Result<std::unique_ptr<DayFile>> DayFile::from(Result<Database> database) {
  if (!database) return forward(database);
  std::unique_ptr<DayFile> file{new DayFile(std::move(*database))};
  if (Status ours = file->check(); !ours) return forward(ours);
  if (Status ready = file->prepare(); !ready) return forward(ready);
  return file;
}

Result<std::unique_ptr<DayFile>> DayFile::open_for_writing(const std::filesystem::path& path,
                                                           const char* vfs) {
  Result<std::unique_ptr<DayFile>> file = from(Database::open(path, OpenMode::kWrite, vfs));
  if (!file) return file;
  if (Status journal = (*file)->use_journal(); !journal) return forward(journal);
  if (Status marked = (*file)->mark_unfinished(); !marked) return forward(marked);
  (*file)->remember_place();
  return file;
}

/// Called when there is a log but nothing in it yet. However a writer is killed, a file marked `0` without a
/// log has lost it, and a file marked `1` needs none. The mark goes through the log into the file itself.
Status DayFile::mark_unfinished() {
  if (marks_.finished != false) {
    if (Status begun = begin(); !begun) return begun;
    Result<Statement> put =
        database_.prepare(marks_.finished ? "UPDATE meta SET value = ?2 WHERE key = ?1"
                                          : "INSERT INTO meta(key, value) VALUES(?1, ?2)");
    if (!put) return forward(put);
    if (Status marked = put->bind(1, kFinishedKey).bind(2, "0").run(); !marked) return marked;
    if (!marks_.finished && !marks_.commits) {
      if (Status counted = put->bind(1, kCommitCountKey).bind(2, "0").run(); !counted) return counted;
    }
    if (Status committed = commit(); !committed) return committed;
    marks_.finished = false;
  }
  // That a reader keeps the log from being folded in now is no reason not to write.
  Status taken = take_over_log(SQLITE_CHECKPOINT_FULL);
  return taken || taken.error().code == ErrorCode::kTemporary ? Status{} : taken;
}

Result<std::unique_ptr<DayFile>> DayFile::open_for_reading(const std::filesystem::path& path, const char* vfs,
                                                           KnownLog* log) {
  std::error_code error;
  const std::filesystem::path target = std::filesystem::canonical(path, error);
  if (error) return fail_errno(error.value(), path.string(), "cannot open");
  const std::optional<FileName> name = parse_file_name(target.filename().string());
  const auto is_written = [&] { return name && are_files_locked(target.parent_path(), name->writer); };
  // Retried when a writer comes or goes meanwhile, and a few times beside one: what cannot be read or does
  // not fit together in the middle of a flush does so a moment later.
  constexpr int kAttempts = 20;
  Result<std::unique_ptr<DayFile>> file;
  for (int attempt = 1; attempt <= kAttempts; ++attempt) {
    const bool written = is_written();
    file = written ? open_beside_writer(target, vfs, log) : open_alone(target, LookAtIndex::kYes, vfs);
    const bool settled = !written && !is_written();
    if ((file && (*file)->loss().empty()) || settled) break;
    if (!file && file.error().code == ErrorCode::kNotFound) break;  // A recorder has only just made it.
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  if (!file && file.error().where == target.string()) file.error().where = path.string();
  if (file) (*file)->database_.set_path(path);
  return file;
}

/// Opens a file whose host has a writer. The writer may be writing another of the host's files, and this one
/// may be what a crash has left, so the end of a log after an invalid frame, which SQLite ignores, is
/// reported.
Result<std::unique_ptr<DayFile>> DayFile::open_beside_writer(const std::filesystem::path& target,
                                                             const char* vfs, KnownLog* log) {
  Result<std::unique_ptr<DayFile>> file = from(Database::open(target, OpenMode::kRead, vfs));
  if (!file) return open_alone(target, LookAtIndex::kNo, vfs);
  (*file)->database_.set_written_meanwhile();
  const std::optional<FileStamp> stamp = log == nullptr ? std::nullopt : stamp_of_log(target);
  if (stamp && is_known_sound(*stamp, *log)) return file;
  const Result<SideFiles> looked = SideFiles::look_at(target, LookAtIndex::kNo);
  const bool broken = !looked || looked->log_state() == LogState::kBroken;
  if (looked && broken && (*file)->marks_.finished != true) {
    (*file)->loss_ = what_log_lost(LogState::kBroken, true);
  }
  if (log != nullptr) log->sound = broken ? std::nullopt : stamp;
  return file;
}

Result<std::unique_ptr<DayFile>> DayFile::open_under_lock(const std::filesystem::path& path,
                                                          LookAtIndex index, const char* vfs) {
  Result<std::unique_ptr<DayFile>> file = open_alone(path, index, vfs);
  if (file) (*file)->remember_place();
  return file;
}

Result<std::unique_ptr<DayFile>> DayFile::open_alone(const std::filesystem::path& path, LookAtIndex index,
                                                     const char* vfs) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (error) return fail_errno(error.value(), path.string(), "cannot open");
  if (!std::filesystem::is_regular_file(status)) {
    return fail(ErrorCode::kBadInput, path.string(),
                "is no file but a folder, pipe or device; nothing is read of it");
  }
  Result<SideFiles> looked = SideFiles::look_at(path, index);
  if (!looked) return forward(looked);
  const auto side_files = std::make_shared<const SideFiles>(std::move(*looked));
  if (std::filesystem::file_size(path, error) == 0 && !error) {
    if (!side_files->has_commits() && side_files->log_state() != LogState::kBroken) {
      return fail(ErrorCode::kNotFound, path.string(), "is empty");
    }
    return fail(
        ErrorCode::kDamaged, path.string(),
        "is empty, and its write-ahead log is not; 'laggard info --recover' saves what is in the log");
  }
  if (!side_files->any()) {
    Result<std::unique_ptr<DayFile>> file = from(Database::open(path, OpenMode::kRead, vfs));
    // SQLite cannot read without a log a file that says that it has one.
    if (file ||
        (file.error().code != ErrorCode::kNoPermission && file.error().code != ErrorCode::kNotFound)) {
      return file;
    }
  }
  return open_with_side_files(path, side_files);
}

/// Why, by the marks, a log does not belong to a file, given the file without and with it; empty when it
/// does.
std::string DayFile::why_log_is_foreign(const Result<std::unique_ptr<DayFile>>& alone,
                                        const Result<std::unique_ptr<DayFile>>& with_log) {
  if (!alone) return "";  // There is nothing to compare: files by earlier versions began in their log.
  if (!with_log) return "does not fit it";
  const DayFile& a = **alone;
  const DayFile& b = **with_log;
  if (a.marks_.number != b.marks_.number || a.identity_ != b.identity_) return "belongs to another file";
  if (a.marks_.commits && (!b.marks_.commits || *b.marks_.commits < *a.marks_.commits)) {
    return "is older than the file";
  }
  return "";
}

Result<std::unique_ptr<DayFile>> DayFile::open_with_side_files(
    const std::filesystem::path& path, const std::shared_ptr<const SideFiles>& side_files) {
  Result<std::unique_ptr<DayFile>> file =
      from(Database::open_frozen(path, {.files = side_files, .with_log = false}));
  std::string loss;
  if (side_files->has_commits()) {
    Result<std::unique_ptr<DayFile>> with_log =
        from(Database::open_frozen(path, {.files = side_files, .with_log = true}));
    // Without a descriptor or memory neither can be judged.
    for (auto* opened : {&file, &with_log}) {
      if (!*opened && opened->error().code == ErrorCode::kTemporary) return forward(*opened);
    }
    const std::string foreign = why_log_is_foreign(file, with_log);
    if (foreign.empty()) {
      file = std::move(with_log);
    } else {
      loss = fmt::format("the write-ahead log beside it {} and is left out; {}", foreign, kWayOut);
    }
  }
  if (!file && file.error().code == ErrorCode::kNotFound && side_files->log_state() == LogState::kBroken) {
    return fail(ErrorCode::kDamaged, path.string(),
                fmt::format("nothing is in this file, and its write-ahead log is damaged; {}", kWayOut));
  }
  if (!file) return file;
  (*file)->wal_ = false;
  (*file)->side_files_ = side_files;
  // A finished file is complete, whatever has become of its log.
  if (loss.empty() && (*file)->marks_.finished != true) {
    loss = what_log_lost(side_files->log_state(), (*file)->database_.says_log());
  }
  (*file)->loss_ = std::move(loss);
  return file;
}

namespace {

namespace fs = std::filesystem;

bool has_side_file(const fs::path& path) {
  std::error_code error;
  return std::ranges::any_of(std::array{"-wal", "-journal"},
                             [&](const char* suffix) { return fs::exists(path.string() + suffix, error); });
}

void fold(const fs::path& path, const char* vfs) {
  // Checked first without SQLite, which applies any log to any file.
  Result<std::unique_ptr<DayFile>> looked = DayFile::open_under_lock(path, LookAtIndex::kYes, vfs);
  if (!looked || !(*looked)->loss().empty()) return;
  looked->reset();
  Result<std::unique_ptr<DayFile>> file = DayFile::open_for_writing(path, vfs);
  if (file) (*file)->finish();
}

}  // namespace

void fold_logs(const fs::path& folder, const WriterName& writer, const char* vfs) {
  std::vector<fs::path> left;
  std::error_code error;
  for (fs::directory_iterator at{folder, error}, end; !error && at != end; at.increment(error)) {
    const std::optional<FileName> name = parse_file_name(at->path().filename().string());
    if (name && name->writer == writer && has_side_file(at->path())) left.push_back(at->path());
  }
  for (const fs::path& path : left) fold(path, vfs);
}

}  // namespace laggard::archive
