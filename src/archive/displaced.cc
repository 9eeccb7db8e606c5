#include "archive/displaced.h"

#include <system_error>

#include "archive/file_name.h"
#include "base/file.h"

namespace laggard::archive {

namespace {

namespace fs = std::filesystem;

bool is_taken(const fs::path& path) {
  std::error_code error;
  return fs::symlink_status(path, error).type() != fs::file_type::not_found;
}

/// The path itself, or the next name of that host and second.
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

/// Why what stands at the path is not to be written into.
std::optional<Error> why_foreign(const fs::path& path, const char* vfs) {
  if (!is_taken(path)) return std::nullopt;
  std::error_code error;
  if (fs::is_regular_file(fs::symlink_status(path, error))) {
    const Result<std::unique_ptr<DayFile>> there = DayFile::open_for_reading(path, vfs);
    // An empty file is what a crash leaves; and what cannot be read now is left to whoever opens it.
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
  // One that is hidden yet is saved under the name that it was to get.
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
  // Hidden and not of an archive's name until it is whole.
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
  // Without the sync a power cut may take the new name back, which is no reason to stop.
  static_cast<void>(sync_folder(target.parent_path()).has_value());
  result.said =
      what + fmt::format("what it held is saved in {}", (error ? copy : target).filename().string());
  return result;
}

}  // namespace laggard::archive
