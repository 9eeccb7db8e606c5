#include "collect/import/nameless_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace laggard::collect {

std::filesystem::path scratch_folder() {
  // Nothing else runs yet that could change the environment.
  const char* wanted = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe)
  if (wanted != nullptr && *wanted != '\0') return wanted;
  std::error_code unknown;
  return std::filesystem::is_directory("/var/tmp", unknown) ? "/var/tmp" : "/tmp";
}

Result<Fd> nameless_file(const std::filesystem::path& folder, const std::string& where,
                         const std::string& purpose) {
  constexpr mode_t kOurs = 0600;
  Fd file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kOurs));
  if (file.valid()) return file;
  // Not every file system can: then it has a name for a moment.
  std::string name = (folder / "laggard-import-XXXXXX").string();
  file = Fd(::mkostemp(name.data(), O_CLOEXEC));
  if (!file.valid()) {
    return fail_errno(errno, where, fmt::format("{} in {}, where it cannot be", purpose, folder.string()));
  }
  ::unlink(name.c_str());
  return file;
}

}  // namespace laggard::collect
