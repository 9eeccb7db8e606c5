#include "archive/fold.h"

#include <algorithm>
#include <array>
#include <optional>
#include <system_error>
#include <vector>

#include "archive/day_file.h"
#include "archive/file_name.h"

namespace laggard::archive {

namespace {

namespace fs = std::filesystem;

bool has_side_file(const fs::path& path) {
  std::error_code error;
  return std::ranges::any_of(std::array{"-wal", "-journal"},
                             [&](const char* suffix) { return fs::exists(path.string() + suffix, error); });
}

void fold(const fs::path& path, const char* vfs) {
  // First without SQLite, which lays any log over any file.
  Result<std::unique_ptr<DayFile>> looked = DayFile::open_under_lock(path, LookAtIndex::kYes, vfs);
  if (!looked || !(*looked)->loss().empty()) return;
  looked->reset();
  Result<std::unique_ptr<DayFile>> file = DayFile::open_for_writing(path, vfs);
  if (file) (*file)->finish();
}

}  // namespace

void fold_logs(const fs::path& folder, const std::string& host, const char* vfs) {
  std::vector<fs::path> left;
  std::error_code error;
  for (fs::directory_iterator at{folder, error}, end; !error && at != end; at.increment(error)) {
    const std::optional<FileName> name = parse_file_name(at->path().filename().string());
    if (name && name->host == host && has_side_file(at->path())) left.push_back(at->path());
  }
  for (const fs::path& path : left) fold(path, vfs);
}

}  // namespace laggard::archive
