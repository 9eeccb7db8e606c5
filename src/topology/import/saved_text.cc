#include "topology/import/saved_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "base/file.h"
#include "base/text.h"
#include "topology/system_text.h"

namespace laggard::topology {

std::optional<SavedLine> SavedLines::next() {
  if (rest_.empty()) return std::nullopt;
  std::string_view line = take_line(rest_);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return SavedLine{line, ++number_};
}

std::string excerpt(std::string_view text) {
  constexpr std::size_t kMost = 60;
  const std::string shown = harmless(text.substr(0, kMost));
  return text.size() > kMost ? shown + "..." : shown;
}

namespace {

namespace fs = std::filesystem;

/// A tree of more files than this is not one machine's Lustre.
constexpr std::size_t kMostFiles = 1'000'000;

/// Whether a file describes the topology; the rest are counters and settings.
bool tells(const fs::path& path) {
  constexpr std::array<std::string_view, 7> kNames{"import",        "mntdev",        "uuid",   "target_obd",
                                                   "ost_conn_uuid", "mdt_conn_uuid", "devices"};
  const std::string name = path.filename().string();
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

/// The parameter that a file holds: the path below the last folder called lustre, or below the given folder.
std::string parameter_of(const fs::path& path, const fs::path& folder) {
  std::vector<std::string> parts;
  for (const fs::path& part : path.lexically_relative(folder)) {
    if (part == "lustre") {
      parts.clear();
    } else {
      parts.push_back(part.string());
    }
  }
  return fmt::format("{}", fmt::join(parts, "."));
}

}  // namespace

Result<std::vector<SavedText>> read_saved_tree(const fs::path& folder, const std::string& host) {
  std::vector<fs::path> paths;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error);
  std::size_t files = 0;
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (++files > kMostFiles) {
      return fail(ErrorCode::kBadInput, folder.string(),
                  "holds too many files to be the Lustre tree of one machine");
    }
    std::error_code ignored;
    if (entry->symlink_status(ignored).type() == fs::file_type::regular && tells(entry->path()))
      paths.push_back(entry->path());
  }
  if (error) return fail(ErrorCode::kBadInput, folder.string(), "cannot be read: " + error.message());
  if (paths.empty()) {
    return fail(ErrorCode::kBadInput, folder.string(), "holds no copy of /proc/fs/lustre or /sys/fs/lustre");
  }
  std::sort(paths.begin(), paths.end());
  std::vector<SavedText> saved;
  for (const fs::path& path : paths) {
    auto text = read_file(path);
    if (!text) return forward(text);
    SavedText& file = saved.emplace_back();
    file.path = path.string();
    file.text = std::move(*text);
    file.host = host;
    file.param = parameter_of(path, folder);
  }
  return saved;
}

}  // namespace laggard::topology
