#include "lab/striped/transfer.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>

namespace laggard::lab::striped {

namespace {

Progress after(ssize_t count) {
  if (count < 0 && errno == EAGAIN) return Progress::kMore;
  return Progress::kGone;
}

}  // namespace

void Outgoing::start(Header header, std::span<const char> body) {
  header.body = body.size();
  head_ = encode(header);
  body_ = body;
  sent_ = 0;
}

Progress Outgoing::send(int socket) {
  while (!whole()) {
    const std::size_t of_head = std::min(sent_, kHeaderBytes);
    const std::span<const char> rest = body_.subspan(sent_ - of_head);
    // What is sent is not changed, though iovec has no const.
    iovec parts[2] = {{head_.data() + of_head, kHeaderBytes - of_head},
                      {const_cast<char*>(rest.data()), rest.size()}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    const ssize_t count = ::sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return after(count);
    sent_ += static_cast<std::size_t>(count);
  }
  return Progress::kWhole;
}

Progress Incoming::receive(int socket, const BufferFor& buffer_for) {
  for (;;) {
    char* into = knows_header() ? body_ + (received_ - kHeaderBytes) : head_.data() + received_;
    const std::size_t missing = kHeaderBytes + (knows_header() ? header_.body : 0) - received_;
    if (missing == 0) return Progress::kWhole;
    const ssize_t count = ::recv(socket, into, missing, MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return after(count);
    const bool knew = knows_header();
    received_ += static_cast<std::size_t>(count);
    if (knew || !knows_header()) continue;
    const auto header = decode(head_);
    body_ = header ? buffer_for(*header) : nullptr;
    if (body_ == nullptr) return Progress::kGone;
    header_ = *header;
  }
}

}  // namespace laggard::lab::striped
