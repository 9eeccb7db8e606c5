#include "collect/tcp/diag_socket.h"

#include <libmnl/libmnl.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
#include <cstring>
#include <span>
#include <utility>

namespace laggard::collect {

namespace {

constexpr const char* kWhere = "netlink sock_diag";
/// The kernel fills up to 32 KB at a time when we offer that much.
constexpr std::size_t kBuffer = std::size_t{64} << 10;
constexpr std::uint32_t kEstablishedOnly = std::uint32_t{1} << 1;  // 1 << TCP_ESTABLISHED

}  // namespace

DiagSocket::DiagSocket(mnl_socket* socket, SocketFilter filter)
    : socket_(socket, mnl_socket_close),
      filter_(std::move(filter)),
      bytecode_(filter_.bytecode()),
      buffer_(kBuffer) {}

Result<std::unique_ptr<DiagSocket>> DiagSocket::open(SocketFilter filter) {
  mnl_socket* raw = mnl_socket_open2(NETLINK_SOCK_DIAG, SOCK_CLOEXEC);
  if (raw == nullptr) return fail_errno(errno, kWhere, "cannot open a socket");
  std::unique_ptr<DiagSocket> source(new DiagSocket(raw, std::move(filter)));
  if (mnl_socket_bind(raw, 0, MNL_SOCKET_AUTOPID) < 0) return fail_errno(errno, kWhere, "cannot bind");
  // The kernel answers at once or not at all; a recorder must not wait for ever.
  const timeval patience{1, 0};
  ::setsockopt(mnl_socket_get_fd(raw), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  return source;
}

Status DiagSocket::ask(std::uint8_t family) {
  constexpr std::size_t kRoomForHeaders = 256;
  std::vector<char> message(kRoomForHeaders + sizeof(inet_diag_req_v2) + bytecode_.size());
  nlmsghdr* header = mnl_nlmsg_put_header(message.data());
  header->nlmsg_type = SOCK_DIAG_BY_FAMILY;
  header->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  header->nlmsg_seq = ++sequence_;
  inet_diag_req_v2 request{};
  request.sdiag_family = family;
  request.sdiag_protocol = IPPROTO_TCP;
  request.idiag_ext = 1U << (INET_DIAG_INFO - 1);
  request.idiag_states = kEstablishedOnly;
  std::memcpy(mnl_nlmsg_put_extra_header(header, sizeof request), &request, sizeof request);
  if (!bytecode_.empty()) mnl_attr_put(header, INET_DIAG_REQ_BYTECODE, bytecode_.size(), bytecode_.data());
  if (mnl_socket_sendto(socket_.get(), header, header->nlmsg_len) < 0)
    return fail_errno(errno, kWhere, "cannot ask");
  return {};
}

Result<DumpPart> DiagSocket::receive(const std::function<void(const TcpSample&)>& each) {
  for (;;) {
    const ssize_t n = mnl_socket_recvfrom(socket_.get(), buffer_.data(), buffer_.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail_errno(errno, kWhere, "cannot receive");
    return parse_dump(std::span(buffer_).first(static_cast<std::size_t>(n)), sequence_, each);
  }
}

Status DiagSocket::dump_family(std::uint8_t family, const std::function<void(const TcpSample&)>& each) {
  if (Status asked = ask(family); !asked) return asked;
  const auto wanted = [&](const TcpSample& sample) {
    if (filter_.matches(sample.local, sample.peer)) each(sample);
  };
  for (;;) {
    Result<DumpPart> part = receive(wanted);
    if (!part) return forward(part);
    switch (part->state) {
      case DumpState::kMore:
        continue;
      case DumpState::kDone:
        return {};
      case DumpState::kGarbled:
        return fail(ErrorCode::kBadInput, kWhere, "the kernel's answer is not a list of netlink messages");
      case DumpState::kFailed:
        break;
    }
    if (part->error == EINVAL && !bytecode_.empty()) {
      bytecode_.clear();  // A kernel that does not know our filter: we filter all that it has.
      return dump_family(family, each);
    }
    return fail_errno(part->error, kWhere, "the kernel refused to list connections");
  }
}

Status DiagSocket::dump(const std::function<void(const TcpSample&)>& each) {
  if (Status v4 = dump_family(AF_INET, each); !v4) return v4;
  Status v6 = dump_family(AF_INET6, each);
  // A kernel without IPv6.
  if (!v6 && v6.error().code == ErrorCode::kNotFound) return {};
  return v6;
}

}  // namespace laggard::collect
