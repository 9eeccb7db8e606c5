#include "base/fd.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

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
    if (put < 0 && errno == EAGAIN) {  // A terminal or pipe that somebody else has set to non-blocking.
      pollfd room{fd, POLLOUT, 0};
      ::poll(&room, 1, -1);
      continue;
    }
    if (put < 0) return fail_errno(errno, where, refusal);
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return {};
}

}  // namespace laggard
