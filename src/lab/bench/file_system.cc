#include "lab/bench/file_system.h"

#include <fmt/format.h>

#include <utility>

namespace laggard::lab::bench {

namespace {

/// A shell command that enters the groups of a server, so that the program is there from its first page on.
Command in_groups(Site& site, std::size_t server, Command command) {
  std::vector<std::string> argv{"sh", "-c", R"(echo $$ >"$0" && echo $$ >"$1" && shift && exec "$@")",
                                cpu_group(site.machine(), site.layout(), server) / "cgroup.procs",
                                memory_group(site.machine(), site.layout(), server) / "cgroup.procs"};
  argv.insert(argv.end(), command.argv.begin(), command.argv.end());
  command.argv = std::move(argv);
  return command;
}

Result<HostProcess> start_server(Site& site, std::size_t i, Command command) {
  const std::string name = site.layout().server(i);
  if (Status made = make_groups(site, i); !made) return forward(made);
  const Result<int> process =
      site.start(name, in_groups(site, i, urgent(std::move(command))), "start-" + name);
  if (!process) return tl::unexpected<Error>(process.error());
  return HostProcess{name, *process};
}

/// Waits until the servers listen: a client that starts before waits for seconds before it tries again.
Status await_server(Site& site, std::size_t i) {
  const Layout& layout = site.layout();
  const std::filesystem::path from = layout.network(layout.client(1));
  Clock& clock = site.machine().clock();
  const MonoTime deadline = clock.mono() + std::chrono::seconds(20);
  // socat itself hung in 3 of 19 attempts on an idle machine; that is retried as well.
  const Command knock{{"timeout", "3", "socat", "-u", "/dev/null",
                       fmt::format("TCP:{}:{},connect-timeout=1", layout.server_address(i), kServicePort)},
                      {}};
  for (;;) {
    Status answered = site.must(inside(from, knock));
    if (answered || clock.mono() >= deadline) return answered;
    clock.sleep_until(clock.mono() + std::chrono::milliseconds(100));
  }
}

}  // namespace

Result<HostProcess> start_mount(Site& site, std::size_t client, Command command,
                                const std::filesystem::path& mount) {
  const std::string name = site.layout().client(client);
  if (Status made = site.machine().make_folder(mount); !made) return forward(made);
  const std::string log = "start-" + name;
  const Result<int> process = site.start(name, urgent(std::move(command)), log);
  if (!process) return tl::unexpected<Error>(process.error());
  if (Status mounted = site.await_mount(mount, *process, log); !mounted) return forward(mounted);
  return HostProcess{name, *process};
}

Result<std::vector<HostProcess>> start_servers(Site& site, const CommandOf& server) {
  const Layout& layout = site.layout();
  std::vector<HostProcess> started;
  for (std::size_t i = 1; i <= layout.servers; ++i) {
    Result<HostProcess> one = start_server(site, i, server(i));
    if (!one) return forward(one);
    started.push_back(std::move(*one));
  }
  for (std::size_t i = 1; i <= layout.servers; ++i) {
    if (Status there = await_server(site, i); !there) return forward(there);
  }
  return started;
}

Result<std::vector<HostProcess>> start_clients(Site& site, const CommandOf& client) {
  const Layout& layout = site.layout();
  std::vector<HostProcess> started;
  for (std::size_t i = 1; i <= layout.clients; ++i) {
    Result<HostProcess> one = start_mount(site, i, client(i), layout.mount(i));
    if (!one) return forward(one);
    started.push_back(std::move(*one));
  }
  return started;
}

Result<std::vector<HostProcess>> start_programs(Site& site, const FileSystemPrograms& programs) {
  Result<std::vector<HostProcess>> started = start_servers(site, programs.server);
  if (!started) return started;
  Result<std::vector<HostProcess>> clients = start_clients(site, programs.client);
  if (!clients) return clients;
  started->insert(started->end(), clients->begin(), clients->end());
  return started;
}

}  // namespace laggard::lab::bench
