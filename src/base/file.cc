#include "base/file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>

#include "base/output_file.h"

namespace laggard {

Fd& Fd::operator=(Fd&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

void Fd::reset() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

Result<std::size_t> read_some(int fd, std::span<char> buffer, const std::string& where) {
  for (;;) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return fail_errno(errno, where, "cannot read");
  }
}

Status write_all(int fd, std::string_view bytes, const std::string& where, const std::string& refusal) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0 && errno == EAGAIN) {  // A terminal or pipe that another program has set to non-blocking.
      pollfd room{fd, POLLOUT, 0};
      ::poll(&room, 1, -1);
      continue;
    }
    if (put < 0) return fail_errno(errno, where, refusal);
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return {};
}

namespace {

constexpr std::size_t kLargestFile = std::size_t{1} << 28;
constexpr int kWaitForWriterMs = 2000;

/// Opens it. A pipe that nobody has opened to write to is waited for a while only; who has may take his time.
Result<Fd> open_to_read(const std::filesystem::path& path) {
  Fd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (!fd.valid()) return fail_errno(errno, path.string(), "cannot open");
  struct stat about {};
  if (::fstat(fd.get(), &about) != 0) return fail_errno(errno, path.string(), "cannot look at");
  if (S_ISFIFO(about.st_mode)) {
    pollfd written{fd.get(), POLLIN, 0};
    int ready = 0;
    do {
      ready = ::poll(&written, 1, kWaitForWriterMs);
    } while (ready < 0 && errno == EINTR);
    char none = 0;  // Nothing can be read: an end means that there is no writer.
    if (ready == 0 && ::read(fd.get(), &none, 1) == 0) {
      return fail(ErrorCode::kBadInput, path.string(), "is a pipe to which nobody writes");
    }
  }
  if (::fcntl(fd.get(), F_SETFL, 0) != 0) return fail_errno(errno, path.string(), "cannot read");
  return fd;
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path) {
  auto fd = open_to_read(path);
  if (!fd) return forward(fd);
  std::string content;
  // Not zeroed: most of what is read are attributes of a few bytes, by the hundred.
  constexpr std::size_t kChunk = 65536;
  const auto buffer = std::make_unique_for_overwrite<char[]>(kChunk);
  for (;;) {
    Result<std::size_t> got = read_some(fd->get(), {buffer.get(), kChunk}, path.string());
    if (!got) return forward(got);
    if (*got == 0) return content;
    content.append(buffer.get(), *got);
    if (content.size() > kLargestFile) {
      return fail(ErrorCode::kBadInput, path.string(), "has more than 256 MB, which no such file has");
    }
  }
}

Status write_file(const std::filesystem::path& path, std::string_view content) {
  auto file = OutputFile::create(path);
  if (!file) return forward(file);
  if (Status written = file->write(content); !written) return written;
  return file->commit();
}

int rename_without_replacing(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // This file system cannot do that in one step.
  struct stat there {};
  if (::lstat(to.c_str(), &there) == 0) return EEXIST;
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

Result<bool> write_new_file(const std::filesystem::path& path, std::string_view content) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const Fd opened{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!opened.valid()) return fail_errno(errno, folder.string(), "cannot open");
  const TemporaryFile temporary = create_temporary_file(opened.get(), 0644);
  if (!temporary.file.valid()) return fail_errno(errno, path.string(), "cannot create");
  const std::filesystem::path hidden = folder / temporary.name;
  Status done = write_all(temporary.file.get(), content, path.string());
  if (done && ::fsync(temporary.file.get()) != 0) done = fail_errno(errno, path.string(), "cannot sync");
  const int error = done ? rename_without_replacing(hidden, path) : 0;
  if (!done || error != 0) ::unlink(hidden.c_str());
  if (!done) return forward(done);
  if (error == EEXIST) return false;
  if (error != 0) return fail_errno(error, path.string(), "cannot be given its name");
  if (Status synced = sync_folder(folder); !synced) return forward(synced);
  return true;
}

Status sync_folder(const std::filesystem::path& folder) {
  const Fd fd{::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!fd.valid()) return fail_errno(errno, folder.string(), "cannot open");
  // Some file systems cannot sync a folder and say so; nothing can be done about that.
  if (::fsync(fd.get()) != 0 && errno != EINVAL) return fail_errno(errno, folder.string(), "cannot sync");
  return {};
}

}  // namespace laggard
