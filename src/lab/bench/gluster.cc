#include <fmt/format.h>

#include "lab/bench/file_system.h"

namespace laggard::lab::bench {

namespace {

std::string volume(std::string_view name, std::string_view type, const std::vector<std::string>& options,
                   std::string_view subvolumes) {
  std::string text = fmt::format("volume {}\n  type {}\n", name, type);
  for (const std::string& option : options) text += fmt::format("  option {}\n", option);
  if (!subvolumes.empty()) text += fmt::format("  subvolumes {}\n", subvolumes);
  return text + "end-volume\n";
}

std::filesystem::path volume_file(const Layout& layout, const std::string& of) {
  return layout.state() / (of + ".vol");
}

Command serve(const Layout& layout, std::size_t i) {
  const std::string name = layout.server(i);
  return {{"glusterfsd", "--no-daemon", "-f", volume_file(layout, name), "-l",
           layout.logs() / ("glusterfsd-" + name + ".log"), "-L", "WARNING", "--volfile-id", name},
          {}};
}

Command mount(const Layout& layout, std::size_t i) {
  return {{"glusterfs", "--no-daemon", "-f", volume_file(layout, "client"), "-l",
           layout.logs() / ("glusterfs-" + layout.client(i) + ".log"), "-L", "WARNING",
           "--direct-io-mode=enable", "--background-qlen=256", "--congestion-threshold=250", layout.mount(i)},
          {}};
}

}  // namespace

std::string server_volume(const Layout& layout, std::size_t server) {
  return volume("posix", "storage/posix",
                {fmt::format("directory {}", (layout.brick(server) / "data").native())}, "") +
         volume("locks", "features/locks", {}, "posix") +
         volume("threads", "performance/io-threads", {"thread-count 16"}, "locks") +
         volume("server", "protocol/server",
                {"transport-type tcp", "transport.address-family inet",
                 fmt::format("transport.socket.listen-port {}", kServicePort),
                 fmt::format("transport.socket.bind-address {}", layout.server_address(server)),
                 "auth.addr.threads.allow *"},
                "threads");
}

std::string client_volume(const Layout& layout) {
  std::string text;
  std::string all;
  for (std::size_t i = 1; i <= layout.servers; ++i) {
    const std::string name = layout.server(i);
    // Without ping-timeout a slow server is not mistaken for a dead one; with filter-O_DIRECT the servers
    // cache, as they do in production.
    text += volume(
        name, "protocol/client",
        {"transport-type tcp", "transport.address-family inet",
         fmt::format("remote-host {}", layout.server_address(i)), fmt::format("remote-port {}", kServicePort),
         "remote-subvolume threads", "ping-timeout 0", "filter-O_DIRECT enable"},
        "");
    all += (i == 1 ? "" : " ") + name;
  }
  text += volume("stripes", "cluster/disperse", {"redundancy 1", "read-policy round-robin"}, all);
  return text + volume("attributes", "performance/md-cache", {}, "stripes");
}

Result<std::vector<HostProcess>> start_gluster(Site& site) {
  const Layout& layout = site.layout();
  for (std::size_t i = 1; i <= layout.servers; ++i) {
    Status written = site.machine().write(volume_file(layout, layout.server(i)), server_volume(layout, i));
    if (!written) return forward(written);
  }
  Status written = site.machine().write(volume_file(layout, "client"), client_volume(layout));
  if (!written) return forward(written);
  return start_programs(site, {[&](std::size_t i) { return serve(layout, i); },
                               [&](std::size_t i) { return mount(layout, i); }});
}

}  // namespace laggard::lab::bench
