#include "collect/procfs/own_links.h"

#include <libmnl/libmnl.h>
#include <linux/ethtool.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

namespace laggard::collect {

namespace {

constexpr const char* kWhere = "netlink route";
constexpr std::size_t kBuffer = std::size_t{32} << 10;

constexpr std::size_t aligned(std::size_t size) { return (size + 3) & ~std::size_t{3}; }

/// A C struct off the front of `bytes`; by copy, because what comes from outside may lie unaligned.
template <typename Struct>
std::optional<Struct> load(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(Struct)) return std::nullopt;
  Struct value{};
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

}  // namespace

LinkState parse_link_message(std::span<const std::byte> payload) {
  LinkState state;
  payload = payload.subspan(std::min(payload.size(), aligned(sizeof(ifinfomsg))));
  while (const auto attribute = load<nlattr>(payload)) {
    const std::size_t length = attribute->nla_len;
    if (length < sizeof(nlattr) || length > payload.size()) break;
    const std::span<const std::byte> value = payload.subspan(sizeof(nlattr), length - sizeof(nlattr));
    switch (attribute->nla_type & NLA_TYPE_MASK) {
      case IFLA_CARRIER_CHANGES:
        if (const auto changes = load<std::uint32_t>(value)) state.set(Link::kCarrierChanges, *changes);
        break;
      case IFLA_STATS64: {
        // Later kernels' are longer.
        constexpr std::size_t kCrc = offsetof(rtnl_link_stats64, rx_crc_errors);
        if (value.size() < kCrc + sizeof(std::uint64_t)) break;
        state.set(Link::kCrcErrors, *load<std::uint64_t>(value.subspan(kCrc)));
        break;
      }
      default:
        break;
    }
    payload = payload.subspan(std::min(payload.size(), aligned(length)));
  }
  return state;
}

OwnLinks::OwnLinks(mnl_socket* route, Fd control)
    : route_(route, mnl_socket_close), control_(std::move(control)) {}

Result<OwnLinks> OwnLinks::open() {
  mnl_socket* route = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC);
  if (route == nullptr) return fail_errno(errno, kWhere, "cannot open a socket");
  OwnLinks links(route, Fd{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)});
  if (mnl_socket_bind(route, 0, MNL_SOCKET_AUTOPID) < 0) return fail_errno(errno, kWhere, "cannot bind");
  const timeval patience{1, 0};
  ::setsockopt(mnl_socket_get_fd(route), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  return links;
}

void OwnLinks::ask_netlink(unsigned index, LinkState& state) {
  std::vector<char> buffer(kBuffer);
  nlmsghdr* header = mnl_nlmsg_put_header(buffer.data());
  header->nlmsg_type = RTM_GETLINK;
  header->nlmsg_flags = NLM_F_REQUEST;
  header->nlmsg_seq = ++sequence_;
  ifinfomsg request{};
  request.ifi_index = static_cast<int>(index);
  std::memcpy(mnl_nlmsg_put_extra_header(header, sizeof request), &request, sizeof request);
  if (mnl_socket_sendto(route_.get(), header, header->nlmsg_len) < 0) return;
  for (;;) {
    const ssize_t n = mnl_socket_recvfrom(route_.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return;
    const std::span<const std::byte> received =
        std::as_bytes(std::span(buffer)).first(static_cast<std::size_t>(n));
    const auto answer = load<nlmsghdr>(received);
    if (!answer || answer->nlmsg_len < sizeof(nlmsghdr) || answer->nlmsg_len > received.size()) return;
    if (answer->nlmsg_seq != sequence_) continue;  // Of a question that was given up.
    if (answer->nlmsg_type != RTM_NEWLINK) return;
    state = parse_link_message(received.subspan(sizeof(nlmsghdr), answer->nlmsg_len - sizeof(nlmsghdr)));
    return;
  }
}

void OwnLinks::ask_ethtool(const std::string& name, LinkState& state) const {
  ethtool_cmd command{};
  command.cmd = ETHTOOL_GSET;
  ifreq request{};
  name.copy(request.ifr_name, sizeof request.ifr_name - 1);
  void* const data = &command;
  std::memcpy(&request.ifr_data, &data, sizeof data);
  if (!control_.valid() || ::ioctl(control_.get(), SIOCETHTOOL, &request) != 0) return;
  const std::uint32_t mbit = ethtool_cmd_speed(&command);
  constexpr std::uint32_t kOldUnknown = 0xffff;
  if (mbit != 0 && mbit != static_cast<std::uint32_t>(SPEED_UNKNOWN) && mbit != kOldUnknown) {
    state.set(Link::kMbit, mbit);
  }
  if (command.duplex == DUPLEX_HALF || command.duplex == DUPLEX_FULL) {
    state.set(Link::kHalfDuplex, command.duplex == DUPLEX_HALF ? 1 : 0);
  }
}

LinkState OwnLinks::read(const std::string& name) {
  LinkState state;
  const unsigned index = ::if_nametoindex(name.c_str());
  if (index == 0) return state;
  ask_netlink(index, state);
  ask_ethtool(name, state);
  return state;
}

}  // namespace laggard::collect
