#include <fmt/format.h>

#include "lab/bench/file_system.h"

namespace laggard::lab::bench {

Result<std::vector<HostProcess>> start_striped(Site& site, const std::filesystem::path& program) {
  const Layout& layout = site.layout();
  const auto serve = [&](std::size_t i) {
    return Command{{program, "serve", layout.brick(i) / "data", "--address", layout.server_address(i),
                    "--port", std::to_string(kServicePort), "--number", std::to_string(i - 1)},
                   {}};
  };
  const auto mount = [&](std::size_t i) {
    Command command{{program, "mount", layout.mount(i)}, {}};
    for (std::size_t server = 1; server <= layout.servers; ++server) {
      command.argv.insert(command.argv.end(),
                          {"--server", fmt::format("{}:{}", layout.server_address(server), kServicePort)});
    }
    return command;
  };
  return start_programs(site, {serve, mount});
}

}  // namespace laggard::lab::bench
