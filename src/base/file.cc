#include "base/file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include "base/fd.h"

namespace laggard {

Result<std::string> read_file(const std::filesystem::path& path) {
  const Fd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!fd.valid()) return fail_errno(errno, path.string(), "cannot open");
  std::string content;
  std::array<char, 65536> buffer{};
  for (;;) {
    Result<std::size_t> got = read_some(fd.get(), buffer, path.string());
    if (!got) return forward(got);
    if (*got == 0) return content;
    content.append(buffer.data(), *got);
  }
}

namespace {

/// Not for sync and rename: a renamed file would stand where the device was.
Status write_into(const std::filesystem::path& path, std::string_view content) {
  const Fd fd{::open(path.c_str(), O_WRONLY | O_CLOEXEC)};
  if (!fd.valid()) return fail_errno(errno, path.string(), "cannot open");
  return write_all(fd.get(), content, path.string());
}

}  // namespace

Status write_file(const std::filesystem::path& path, std::string_view content) {
  // Of the file behind the links: those in /proc/self/fd name pipes by paths that do not exist.
  std::error_code absent;
  const std::filesystem::file_status there = std::filesystem::status(path, absent);
  if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there))
    return write_into(path, content);
  const std::filesystem::path behind = std::filesystem::canonical(path, absent);
  const std::filesystem::path& target = absent ? path : behind;
  const std::string temporary = target.string() + ".new";
  Fd fd{::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)};
  if (!fd.valid()) return fail_errno(errno, temporary, "cannot create");
  Status written = write_all(fd.get(), content, temporary);
  if (written && ::fsync(fd.get()) != 0) written = fail_errno(errno, temporary, "cannot sync");
  if (written && ::rename(temporary.c_str(), target.c_str()) != 0) {
    written = fail_errno(errno, path.string(), "cannot rename into place");
  }
  if (!written) ::unlink(temporary.c_str());
  return written;
}

}  // namespace laggard
