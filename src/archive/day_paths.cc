#include "archive/day_paths.h"

#include <dirent.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <string>

#include "archive/day_file.h"

namespace laggard::archive {

Result<std::vector<std::filesystem::path>> files_of(const std::filesystem::path& folder,
                                                    const WriterName& writer,
                                                    std::optional<std::int64_t> day) {
  const std::string prefix = to_prefix(writer) + "-";
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir(folder.c_str()), &::closedir);
  if (!listing) return fail_errno(errno, folder.string(), "cannot list the folder");
  std::vector<std::filesystem::path> found;
  for (;;) {
    errno = 0;
    const dirent* const entry =
        ::readdir(listing.get());  // NOLINT(concurrency-mt-unsafe): a listing of its own.
    if (entry == nullptr) break;
    const std::string_view text{static_cast<const char*>(entry->d_name)};
    if (!text.starts_with(prefix)) continue;
    const std::optional<FileName> name = parse_file_name(text);
    if (!name || name->writer != writer) continue;
    if (!day || recording_day(name->start) == *day) found.push_back(folder / text);
  }
  if (errno != 0) return fail_errno(errno, folder.string(), "cannot list the folder");
  std::ranges::sort(found);
  return found;
}

bool is_name_free(const std::filesystem::path& path) {
  return std::ranges::none_of(std::array{"", "-wal", "-shm", "-journal"}, [&](const char* suffix) {
    std::error_code error;
    const auto there = std::filesystem::symlink_status(path.string() + suffix, error);
    return there.type() != std::filesystem::file_type::not_found;
  });
}

bool is_path_taken(const std::filesystem::path& path, const char* vfs) {
  std::error_code error;
  const std::filesystem::file_type there = std::filesystem::symlink_status(path, error).type();
  if (there == std::filesystem::file_type::not_found) return false;
  if (there != std::filesystem::file_type::regular) return true;
  // A crash may have left the file before anything was committed.
  const Result<std::unique_ptr<DayFile>> taken = DayFile::open_under_lock(path, LookAtIndex::kNo, vfs);
  return taken || taken.error().code != ErrorCode::kNotFound;
}

}  // namespace laggard::archive
