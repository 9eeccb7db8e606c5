#include "collect/pings/direct_write.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>

namespace laggard::collect {

namespace {

constexpr std::array<std::size_t, 5> kBlocks{512, 1024, 2048, 4096, 65536};
constexpr mode_t kMode = 0600;

int open_at(int directory, const char* name, int flags) {
  return ::openat(directory, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | flags, kMode);
}

int write_block(int fd, const char* block, std::size_t size) {
  const ssize_t written = ::pwrite(fd, block, size, 0);
  if (written < 0) return errno;
  // A file system that is full may take a part.
  return static_cast<std::size_t>(written) == size ? 0 : ENOSPC;
}

}  // namespace

PingFile open_ping_file(int directory, const char* name, int flags) {
  int fd = open_at(directory, name, flags | O_DIRECT);
  if (fd >= 0) return {.fd = Fd(fd)};
  if (errno != EINVAL) return {.fd = {}, .error = errno};
  // Some file systems create the file before they refuse the flag.
  fd = open_at(directory, name, (flags & ~O_EXCL) | O_DSYNC);
  if (fd < 0) return {.fd = {}, .error = errno};
  return {.fd = Fd(fd), .error = 0, .direct = false};
}

int write_ping_block(PingFile& file, std::string_view text) {
  alignas(kBlocks.back()) std::array<char, kBlocks.back()> block{};
  std::copy_n(text.begin(), std::min(text.size(), kBlocks.front()), block.begin());
  if (!file.direct) return write_block(file.fd.get(), block.data(), kBlocks.front());
  for (const std::size_t size : kBlocks) {
    if (const int error = write_block(file.fd.get(), block.data(), size); error != EINVAL) return error;
  }
  file.direct = false;
  if (::fcntl(file.fd.get(), F_SETFL, 0) != 0) return errno;
  if (const int error = write_block(file.fd.get(), block.data(), kBlocks.front()); error != 0) return error;
  return ::fdatasync(file.fd.get()) == 0 ? 0 : errno;
}

}  // namespace laggard::collect
