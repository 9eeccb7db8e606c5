#include "lab/bench/network.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/text.h"

namespace laggard::lab::bench {

namespace {

constexpr const char* kAllowedControl = "/proc/sys/net/ipv4/tcp_allowed_congestion_control";
constexpr const char* kBridge = "bridge";
/// Small enough that a port has no second of traffic in hand, large enough for the timer's resolution.
constexpr const char* kBurst = "64kb";
constexpr const char* kQueue = "400kb";

Command words(std::initializer_list<std::string> argv) { return {std::vector<std::string>(argv), {}}; }

/// The bridge's end of a host's cable.
std::string port(std::string_view host) { return fmt::format("p-{}", host); }

Status allow_cubic(Site& site) {
  const Result<std::string> allowed = site.machine().read(kAllowedControl);
  if (!allowed) return tl::unexpected<Error>(allowed.error());
  if (allowed->find("cubic") != std::string::npos) return {};
  return site.set(kAllowedControl, fmt::format("{} cubic", trim(*allowed)));
}

Status add_namespace(Site& site, std::string_view host) {
  const std::string network = site.layout().network(host);
  return site.change({ChangeKind::kNetwork, network, {}}, words({"ip", "netns", "add", network}));
}

Status connect(Site& site, std::string_view host, const std::string& address) {
  const std::string network = site.layout().network(host);
  const std::string bridge = site.layout().network(kBridge);
  if (Status added = add_namespace(site, host); !added) return added;
  const std::vector<Command> commands{
      words({"ip", "link", "add", port(host), "netns", bridge, "type", "veth", "peer", "name", "eth0",
             "netns", network}),
      inside(bridge, words({"ip", "link", "set", port(host), "master", "br0", "up"})),
      inside(network, words({"ip", "link", "set", "lo", "up"})),
      inside(network, words({"ip", "address", "add", address + "/24", "dev", "eth0"})),
      inside(network, words({"ip", "link", "set", "eth0", "up"})),
      // One buffer is one packet of 1,500 bytes: else a loss of 5 % of packets loses bundles of 64 KB.
      inside(bridge, words({"ethtool", "-K", port(host), "tso", "off", "gso", "off", "gro", "off"})),
      inside(network, words({"ethtool", "-K", "eth0", "tso", "off", "gso", "off", "gro", "off"})),
      inside(network, words({"sysctl", "-qw", "net.ipv4.tcp_congestion_control=cubic",
                             "net.ipv4.tcp_no_metrics_save=1"})),
  };
  for (const Command& command : commands) {
    if (Status done = site.must(command); !done) return done;
  }
  return {};
}

}  // namespace

Status build_network(Site& site) {
  const Layout& layout = site.layout();
  if (Status allowed = allow_cubic(site); !allowed) return allowed;
  if (Status added = add_namespace(site, kBridge); !added) return added;
  const std::string bridge = layout.network(kBridge);
  Status up = site.must(inside(bridge, words({"ip", "link", "add", "br0", "type", "bridge"})));
  if (up) up = site.must(inside(bridge, words({"ip", "link", "set", "br0", "up"})));
  if (!up) return up;
  for (std::size_t i = 1; i <= layout.servers; ++i) {
    if (Status c = connect(site, layout.server(i), layout.server_address(i)); !c) return c;
  }
  for (std::size_t i = 1; i <= layout.clients; ++i) {
    if (Status c = connect(site, layout.client(i), layout.client_address(i)); !c) return c;
  }
  return connect(site, kStranger, layout.stranger_address());
}

Status limit_network(Site& site) {
  const Layout& layout = site.layout();
  const std::string rate = fmt::format("{}mbit", layout.network_megabits);
  const auto limit = [&](const std::string& network, const std::string& device) {
    return site.must(inside(network, words({"tc", "qdisc", "add", "dev", device, "root", "tbf", "rate", rate,
                                            "burst", kBurst, "limit", kQueue})));
  };
  for (std::size_t i = 1; i <= layout.servers; ++i) {
    if (Status sent = limit(layout.network(layout.server(i)), "eth0"); !sent) return sent;
    if (Status received = limit(layout.network(kBridge), port(layout.server(i))); !received) return received;
  }
  return {};
}

}  // namespace laggard::lab::bench
