#include "lab/bench/ceph.h"

#include <fmt/format.h>

#include <functional>
#include <utility>

#include "base/text.h"
#include "lab/bench/file_system.h"

namespace laggard::lab::bench {

namespace {

using namespace std::chrono_literals;

constexpr Duration kAnswerPatience = 90s;

/// A program of Ceph's with the bench's configuration.
Command with_configuration(const Layout& layout, std::vector<std::string> argv) {
  argv.insert(argv.begin() + 1, {"-c", ceph_configuration_file(layout)});
  return {std::move(argv), {}};
}

/// Asks the monitors, from their own host.
Command ask(const Layout& layout, std::vector<std::string> words) {
  words.insert(words.begin(), "ceph");
  Command command = with_configuration(layout, std::move(words));
  command.argv.insert(command.argv.begin(), {"timeout", "110"});
  return inside(layout.network(kMonitorHost), std::move(command));
}

/// Runs many commands in one go: each program of its own would take half a second of a processor.
Status tell(Site& site, const std::string& lines) {
  Command command = ask(site.layout(), {});
  command.input = lines;
  command.environment.push_back(process_mark(site.layout()));
  const Result<Output> output = site.machine().run(command);
  if (!output) return tl::unexpected<Error>(output.error());
  // What is wrong with a line does not end the program.
  const std::size_t wrong = output->text.find("Error ");
  if (output->status == 0 && wrong == std::string::npos) return {};
  const std::string said(trim(std::string_view(output->text).substr(wrong == std::string::npos ? 0 : wrong)));
  return fail(ErrorCode::kUnavailable, "ceph", said.substr(0, said.find('\n')));
}

/// Asks again and again until the answer is the right one.
Status await_answer(Site& site, const std::vector<std::string>& words,
                    const std::function<bool(std::string_view)>& is_right) {
  Clock& clock = site.machine().clock();
  const MonoTime deadline = clock.mono() + kAnswerPatience;
  for (;;) {
    Command command = ask(site.layout(), words);
    command.environment.push_back(process_mark(site.layout()));
    const Result<Output> output = site.machine().run(command);
    if (!output) return tl::unexpected<Error>(output.error());
    if (output->status == 0 && is_right(output->text)) return {};
    if (clock.mono() >= deadline) {
      return fail(ErrorCode::kUnavailable, fmt::format("ceph {}", fmt::join(words, " ")),
                  fmt::format("still says: {}", trim(output->text)));
    }
    clock.sleep_until(clock.mono() + 1s);
  }
}

/// Starts a daemon of the host that is no peer.
Status start_besides(Site& site, const std::string& program) {
  const Command daemon = with_configuration(site.layout(), {program, "-f", "-i", "a"});
  const Result<int> process = site.start(kMonitorHost, urgent(daemon), "start-" + program);
  return process ? Status() : Status(tl::unexpected<Error>(process.error()));
}

Status start_monitor(Site& site) {
  const Layout& layout = site.layout();
  for (const char* folder : {"", "mgr", "mds", "crash"}) {
    if (Status made = site.machine().make_folder(layout.ceph() / folder); !made) return made;
  }
  Status done = site.machine().write(ceph_configuration_file(layout), ceph_configuration(layout));
  const std::string map = layout.ceph() / "monmap";
  if (done) {
    done = site.must({{"monmaptool", "--create", "--clobber", "--addv", "a", monitor_addresses(layout),
                       "--fsid", as_uuid(layout.instance), map},
                      {}});
  }
  if (done) done = site.must(with_configuration(layout, {"ceph-mon", "--mkfs", "-i", "a", "--monmap", map}));
  return done ? start_besides(site, "ceph-mon") : done;
}

/// An empty BlueStore on the server's block device.
Status make_store(Site& site, std::size_t server, const std::string& loop) {
  const Layout& layout = site.layout();
  const std::string osd = std::to_string(osd_of(server));
  const std::filesystem::path folder = layout.ceph() / ("osd" + osd);
  Status done = site.machine().make_folder(folder);
  if (done) done = site.must({{"ln", "-s", "/dev/" + loop, folder / "block"}, {}});
  if (!done) return done;
  return site.must(with_configuration(
      layout, {"ceph-osd", "--no-mon-config", "--mkfs", "-i", osd, "--osd-uuid", osd_uuid(layout, server)}));
}

/// Of "145 pgs: 145 active+clean; ...": the manager may have made a pool of its own.
bool all_groups_are_clean(std::string_view said) {
  const std::string_view number = said.substr(0, said.find(' '));
  const auto groups = to_number<std::size_t>(number);
  return groups && *groups >= kDataGroups + kMetadataGroups &&
         said.starts_with(fmt::format("{0} pgs: {0} active+clean;", number));
}

Status start_file_service(Site& site) {
  const std::size_t n = site.layout().servers;
  Status done = start_besides(site, "ceph-mgr");
  const std::string all_up = fmt::format(" {} up", n);
  if (done) {
    done = await_answer(site, {"osd", "stat"},
                        [&](std::string_view said) { return said.find(all_up) != std::string_view::npos; });
  }
  if (done) done = tell(site, ceph_pool_commands(site.layout()));
  if (done) done = start_besides(site, "ceph-mds");
  if (done) {
    done = await_answer(site, {"mds", "stat"}, [](std::string_view said) {
      return said.find("up:active") != std::string_view::npos;
    });
  }
  if (!done) return done;
  return await_answer(site, {"pg", "stat"}, all_groups_are_clean);
}

}  // namespace

Result<std::vector<HostProcess>> start_ceph(Site& site, const std::vector<std::string>& loops) {
  const Layout& layout = site.layout();
  if (Status started = start_monitor(site); !started) return forward(started);
  if (Status known = tell(site, ceph_osd_commands(layout)); !known) return forward(known);
  for (std::size_t i = 1; i <= layout.servers; ++i) {
    if (Status made = make_store(site, i, loops.at(i - 1)); !made) return forward(made);
  }
  Result<std::vector<HostProcess>> started = start_servers(site, [&](std::size_t i) {
    return with_configuration(layout, {"ceph-osd", "-f", "-i", std::to_string(osd_of(i))});
  });
  if (!started) return started;
  if (Status serves = start_file_service(site); !serves) return forward(serves);
  Result<std::vector<HostProcess>> clients = start_clients(site, [&](std::size_t i) {
    return with_configuration(
        layout, {"ceph-fuse", "-f",
                 fmt::format("--log-file={}",
                             (layout.logs() / fmt::format("ceph-fuse-{}.log", layout.client(i))).native()),
                 layout.mount(i)});
  });
  if (!clients) return clients;
  // Files are striped as the folder says in which they are made.
  Status striped = site.must({{"setfattr", "-n", "ceph.dir.layout", "-v",
                               "stripe_unit=65536 stripe_count=1 object_size=65536", layout.mount(1)},
                              {}});
  if (!striped) return forward(striped);
  started->insert(started->end(), clients->begin(), clients->end());
  return started;
}

Status drop_ceph_caches(Site& site) {
  return site.must(ask(site.layout(), {"tell", "osd.*", "cache", "drop"}));
}

}  // namespace laggard::lab::bench
