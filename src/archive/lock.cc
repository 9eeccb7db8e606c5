#include "archive/lock.h"

#include "archive/file_name.h"

namespace laggard::archive {

namespace {

std::filesystem::path lock_path(const std::filesystem::path& folder, const std::string& host) {
  return folder / ("." + escape_host(host) + ".lock");
}

}  // namespace

Result<LockFile> lock_host(const std::filesystem::path& folder, const std::string& host) {
  return LockFile::acquire(
      lock_path(folder, host), folder.string(),
      fmt::format("is writing host {} here; stop it or write to another recording", host));
}

Result<LockFile> lock_host(const std::filesystem::path& folder, const std::string& host, LockFile spare) {
  if (spare.move_to(lock_path(folder, host))) return spare;
  return lock_host(folder, host);
}

bool is_host_locked(const std::filesystem::path& folder, const std::string& host) {
  return LockFile::is_held(lock_path(folder, host));
}

}  // namespace laggard::archive
