#include "archive/recordings_in.h"

#include <algorithm>
#include <system_error>

#include "archive/format.h"

namespace laggard::archive {

namespace fs = std::filesystem;

bool is_recording(const fs::path& folder) {
  return std::ranges::any_of(kStreams, [&](Stream stream) {
    std::error_code none;
    return fs::is_directory(folder / folder_of(stream), none);
  });
}

std::vector<fs::path> recordings_in(const fs::path& path) {
  std::vector<fs::path> inside;
  if (is_recording(path)) return {path};
  std::error_code error;
  for (fs::directory_iterator at{path, error}, end; !error && at != end; at.increment(error)) {
    if (is_recording(at->path())) inside.push_back(at->path());
  }
  std::ranges::sort(inside);
  inside.insert(inside.begin(), path);
  return inside;
}

}  // namespace laggard::archive
