#include <fmt/format.h>

#include "lab/bench/file_system.h"

namespace laggard::lab::bench {

namespace {

Command mount_command(const Layout& layout, const std::filesystem::path& program,
                      const std::filesystem::path& mount) {
  Command command{{program, "mount", mount}, {}};
  for (std::size_t server = 1; server <= layout.servers; ++server) {
    command.argv.insert(command.argv.end(),
                        {"--server", fmt::format("{}:{}", layout.server_address(server), kServicePort)});
  }
  return command;
}

}  // namespace

Status mount_for_probes(Site& site, const std::filesystem::path& program, std::size_t client) {
  const std::filesystem::path mount = site.layout().probe_mount(client);
  auto mounted = start_mount(site, client, mount_command(site.layout(), program, mount), mount);
  return mounted ? Status() : Status(forward(mounted));
}

Result<std::vector<HostProcess>> start_striped(Site& site, const std::filesystem::path& program) {
  const Layout& layout = site.layout();
  const auto serve = [&](std::size_t i) {
    return Command{{program, "serve", layout.brick(i) / "data", "--address", layout.server_address(i),
                    "--port", std::to_string(kServicePort), "--number", std::to_string(i - 1)},
                   {}};
  };
  const auto mount = [&](std::size_t i) { return mount_command(layout, program, layout.mount(i)); };
  return start_programs(site, {serve, mount});
}

}  // namespace laggard::lab::bench
