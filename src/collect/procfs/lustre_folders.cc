#include "collect/procfs/lustre_folders.h"

#include <algorithm>
#include <system_error>

#include "base/text.h"

namespace laggard::collect {

std::vector<std::string> folders_in(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_directory(ignored)) names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end(), natural_less);
  return names;
}

}  // namespace laggard::collect
