#include "lab/bench/network.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/text.h"

namespace laggard::lab::bench {

namespace {

constexpr const char* kBridge = "bridge";
/// Small enough that a port has no second of traffic in hand, large enough for the timer's resolution.
constexpr const char* kBurst = "64kb";
constexpr const char* kQueue = "400kb";

Command words(std::initializer_list<std::string> argv) { return {std::vector<std::string>(argv), {}}; }

/// The bridge's end of a host's cable.
std::string port(std::string_view host) { return fmt::format("p-{}", host); }

Status allow_cubic(Site& site) {
  const Result<std::string> allowed = site.machine().read(path_of(Setting::kCongestionControl, ""));
  if (!allowed) return tl::unexpected<Error>(allowed.error());
  if (allowed->find("cubic") != std::string::npos) return {};
  return site.set(Setting::kCongestionControl, "", with_cubic(trim(*allowed)));
}

/// A namespace that lives as long as it is mounted on a file of the state folder, where nobody else's can be.
Status add_namespace(Site& site, std::string_view host) {
  const std::filesystem::path network = site.layout().network(host);
  if (Status made = site.machine().write(network, ""); !made) return made;
  return site.must(words({"unshare", "--net=" + network.native(), "true"}));
}

Status connect(Site& site, std::string_view host, const std::string& address) {
  const std::filesystem::path network = site.layout().network(host);
  const std::filesystem::path bridge = site.layout().network(kBridge);
  if (Status added = add_namespace(site, host); !added) return added;
  const std::vector<Command> commands{
      words({"ip", "link", "add", port(host), "netns", bridge.native(), "type", "veth", "peer", "name",
             "eth0", "netns", network.native()}),
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

std::string with_cubic(std::string_view allowed) { return fmt::format("{} cubic", allowed); }

Status build_network(Site& site) {
  const Layout& layout = site.layout();
  if (Status allowed = allow_cubic(site); !allowed) return allowed;
  if (Status added = add_namespace(site, kBridge); !added) return added;
  const std::filesystem::path bridge = layout.network(kBridge);
  Status up = site.must(inside(bridge, words({"ip", "link", "add", "br0", "type", "bridge"})));
  if (up) up = site.must(inside(bridge, words({"ip", "link", "set", "br0", "up"})));
  if (!up) return up;
  for (std::size_t i = 1; i <= layout.servers; ++i) {
    if (Status c = connect(site, layout.server(i), layout.server_address(i)); !c) return c;
  }
  for (std::size_t i = 1; i <= layout.clients; ++i) {
    if (Status c = connect(site, layout.client(i), layout.client_address(i)); !c) return c;
  }
  return connect(site, kThirdParty, layout.third_party_address());
}

Status limit_network(Site& site) {
  const Layout& layout = site.layout();
  const std::string rate = fmt::format("{}mbit", layout.network_megabits);
  const auto limit = [&](const std::filesystem::path& network, const std::string& device) {
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
