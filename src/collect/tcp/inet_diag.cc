#include "collect/tcp/inet_diag.h"

#include <arpa/inet.h>
#include <libmnl/libmnl.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace laggard::collect {

namespace {

constexpr std::uint8_t kEstablished = 1;  // TCP_ESTABLISHED of net/tcp_states.h

struct InfoField {
  std::string_view counter;
  std::size_t offset;
  std::size_t size;
};

/// Of each of the counters but the last two, which compare two fields.
constexpr std::array<InfoField, kTcpCounters - 2> kFields{{
    {"snd_cwnd", offsetof(tcp_info, tcpi_snd_cwnd), sizeof(tcp_info::tcpi_snd_cwnd)},
    {"retrans", offsetof(tcp_info, tcpi_total_retrans), sizeof(tcp_info::tcpi_total_retrans)},
    {"lost", offsetof(tcp_info, tcpi_lost), sizeof(tcp_info::tcpi_lost)},
    {"rtt_us", offsetof(tcp_info, tcpi_rtt), sizeof(tcp_info::tcpi_rtt)},
    {"bytes_sent", offsetof(tcp_info, tcpi_bytes_sent), sizeof(tcp_info::tcpi_bytes_sent)},
    {"busy_us", offsetof(tcp_info, tcpi_busy_time), sizeof(tcp_info::tcpi_busy_time)},
    {"rwnd_limited_us", offsetof(tcp_info, tcpi_rwnd_limited), sizeof(tcp_info::tcpi_rwnd_limited)},
    {"sndbuf_limited_us", offsetof(tcp_info, tcpi_sndbuf_limited), sizeof(tcp_info::tcpi_sndbuf_limited)},
    {"notsent_bytes", offsetof(tcp_info, tcpi_notsent_bytes), sizeof(tcp_info::tcpi_notsent_bytes)},
    {"unacked", offsetof(tcp_info, tcpi_unacked), sizeof(tcp_info::tcpi_unacked)},
    {"min_rtt_us", offsetof(tcp_info, tcpi_min_rtt), sizeof(tcp_info::tcpi_min_rtt)},
}};
constexpr std::array<std::string_view, 2> kTurns{"awaiting", "owing"};

/// Some protocols have messages that nobody answers. A request is taken to be out for so long at most: T's
/// controllers held I/O for 103 s.
constexpr std::uint32_t kLongestWaitMs = 120'000;

/// A C struct off the front of `bytes`; by copy, because what comes from outside may lie unaligned.
template <typename Struct>
std::optional<Struct> load(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(Struct)) return std::nullopt;
  Struct value{};
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

constexpr std::size_t aligned(std::size_t size) { return (size + 3) & ~std::size_t{3}; }

Endpoint endpoint(bool v4, const std::uint32_t* address, std::uint16_t port) {
  std::array<std::uint8_t, 16> bytes{};
  std::memcpy(bytes.data(), address, bytes.size());
  return {v4 ? IpAddress::from_v4(bytes.data()) : IpAddress::from_v6(bytes.data()), ntohs(port)};
}

/// Whose turn it is: who sent data later than it received some awaits an answer, who received data later than
/// it sent some owes one. The kernel tells how many ms ago either was, in jiffies; where both were in the
/// same one, nobody waits for longer than that.
void read_turns(std::span<const std::byte> info, TcpSample& sample) {
  const std::size_t end = offsetof(tcp_info, tcpi_last_data_recv) + sizeof(tcp_info::tcpi_last_data_recv);
  if (info.size() < end) return;
  const std::uint32_t sent = *load<std::uint32_t>(info.subspan(offsetof(tcp_info, tcpi_last_data_sent)));
  const std::uint32_t received = *load<std::uint32_t>(info.subspan(offsetof(tcp_info, tcpi_last_data_recv)));
  constexpr std::size_t kAwaiting = kFields.size();
  sample.values[kAwaiting] = sent < received && sent < kLongestWaitMs ? 1 : 0;
  sample.values[kAwaiting + 1] = received < sent && received < kLongestWaitMs ? 1 : 0;
  sample.present |= std::uint32_t{3} << kAwaiting;
}

void read_info(std::span<const std::byte> info, TcpSample& sample) {
  for (std::size_t c = 0; c < kFields.size(); ++c) {
    const InfoField& field = kFields[c];
    if (info.size() < field.offset + field.size) continue;
    if (field.size == sizeof(std::uint32_t)) {
      sample.values[c] = *load<std::uint32_t>(info.subspan(field.offset));
    } else {
      sample.values[c] = *load<std::uint64_t>(info.subspan(field.offset));
    }
    sample.present |= std::uint32_t{1} << c;
  }
  read_turns(info, sample);
}

}  // namespace

std::vector<TableCounter> tcp_counters() {
  std::vector<TableCounter> counters;
  counters.reserve(kTcpCounters);
  const auto add = [&](std::string_view name) {
    counters.push_back({std::string(name), find_counter(DeviceKind::kTcp, name)->form});
  };
  for (const InfoField& field : kFields) add(field.counter);
  for (const std::string_view turn : kTurns) add(turn);
  return counters;
}

std::optional<TcpSample> parse_diag_message(std::span<const std::byte> payload) {
  const auto message = load<inet_diag_msg>(payload);
  if (!message || message->idiag_state != kEstablished) return std::nullopt;
  if (message->idiag_family != AF_INET && message->idiag_family != AF_INET6) return std::nullopt;
  const bool v4 = message->idiag_family == AF_INET;
  TcpSample sample;
  sample.local = endpoint(v4, message->id.idiag_src, message->id.idiag_sport);
  sample.peer = endpoint(v4, message->id.idiag_dst, message->id.idiag_dport);
  payload = payload.subspan(std::min(payload.size(), aligned(sizeof(inet_diag_msg))));
  while (const auto attribute = load<nlattr>(payload)) {
    const std::size_t length = attribute->nla_len;
    if (length < sizeof(nlattr) || length > payload.size()) break;
    if ((attribute->nla_type & NLA_TYPE_MASK) == INET_DIAG_INFO) {
      read_info(payload.subspan(sizeof(nlattr), length - sizeof(nlattr)), sample);
    }
    payload = payload.subspan(std::min(payload.size(), aligned(length)));
  }
  if (sample.present == 0) return std::nullopt;
  return sample;
}

DumpPart parse_dump(std::span<const std::byte> received, std::uint32_t sequence,
                    const std::function<void(const TcpSample&)>& each) {
  while (!received.empty()) {
    const auto header = load<nlmsghdr>(received);
    if (!header || header->nlmsg_len < sizeof(nlmsghdr) || header->nlmsg_len > received.size()) {
      return {DumpState::kGarbled, 0};
    }
    const std::span<const std::byte> payload =
        received.subspan(sizeof(nlmsghdr), header->nlmsg_len - sizeof(nlmsghdr));
    received = received.subspan(std::min(received.size(), aligned(header->nlmsg_len)));
    if (header->nlmsg_seq != sequence) continue;
    if (header->nlmsg_type == NLMSG_DONE) return {DumpState::kDone, 0};
    if (header->nlmsg_type == NLMSG_ERROR) {
      const auto refused = load<int>(payload);
      return {DumpState::kFailed, refused && *refused < 0 && *refused > -4096 ? -*refused : EPROTO};
    }
    if (header->nlmsg_type != SOCK_DIAG_BY_FAMILY) continue;
    if (const std::optional<TcpSample> sample = parse_diag_message(payload)) each(*sample);
  }
  return {DumpState::kMore, 0};
}

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
