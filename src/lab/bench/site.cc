#include "lab/bench/site.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace laggard::lab::bench {

namespace {
using namespace std::chrono_literals;
constexpr Duration kMountPatience = 20s;

/// What has to be remembered of a setting that reads as `text`.
std::string to_keep(Setting setting, std::string_view text) {
  // What is written there is a change, not a value: taking it back is another change.
  return is_controller(setting) ? std::string{} : std::string(chosen(text));
}
}  // namespace

std::string_view chosen(std::string_view setting) {
  setting = trim(setting);
  const std::size_t open = setting.find('[');
  const std::size_t close = setting.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return setting;
  return setting.substr(open + 1, close - open - 1);
}

std::string process_mark(const Layout& layout) { return "LAGGARD_BENCH=" + layout.instance; }

std::string disk_mark(const Layout& layout) { return "LAGGARD_BENCH_DISK=" + layout.instance; }

Status Site::set(Setting setting, const std::string& loop, std::string_view value) {
  const std::filesystem::path path = path_of(setting, loop);
  const Result<std::string> old = machine_.read(path);
  if (!old) return tl::unexpected<Error>(old.error());
  const std::string before = to_keep(setting, *old);
  if (before == trim(value)) return {};
  if (Status entered = journal_.enter({setting, loop, before}); !entered) return entered;
  return machine_.write(path, value);
}

Status Site::keep(Setting setting, const std::string& loop) {
  const Result<std::string> old = machine_.read(path_of(setting, loop));
  if (!old) return tl::unexpected<Error>(old.error());
  return journal_.enter({setting, loop, to_keep(setting, *old)});
}

Result<std::string> Site::attach_loop(const std::filesystem::path& backing) {
  const Status attached = must({{"losetup", "--find", "--direct-io=on", backing}, {}});
  if (!attached) return tl::unexpected<Error>(attached.error());
  std::vector<std::string> found;
  for (const auto& [loop, behind] : machine_.loops()) {
    if (behind.file == backing.native()) found.push_back(loop);
  }
  if (found.size() == 1) return found.front();
  return fail(ErrorCode::kUnavailable, backing.string(),
              fmt::format("has {} block devices after one was attached", found.size()));
}

Status Site::must(Command command) {
  command.environment.push_back(process_mark(layout_));
  return machine_.must(command);
}

std::filesystem::path Site::log_file(std::string_view log) const {
  return layout_.logs() / fmt::format("{}.log", log);
}

Result<int> Site::start(std::string_view host, Command command, std::string_view log) {
  command.environment.push_back(process_mark(layout_));
  command = inside(layout_.network(host), std::move(command));
  for (std::size_t i = 1; i <= layout_.servers; ++i) {
    const auto group = layout_.server(i) == host ? work_group(machine_, layout_, i) : std::nullopt;
    if (!group || !machine_.exists(*group)) continue;
    std::vector<std::string> argv{"sh", "-c", R"(echo $$ >"$0" && exec "$@")", *group / "cgroup.procs"};
    argv.insert(argv.end(), command.argv.begin(), command.argv.end());
    command.argv = std::move(argv);
  }
  return machine_.start(command, log_file(log));
}

Result<int> Site::start_disk(Command command, std::string_view log) {
  command.environment.push_back(disk_mark(layout_));
  return machine_.start(command, log_file(log));
}

Status Site::await_mount(const std::filesystem::path& path, int process, std::string_view log) {
  Clock& clock = machine_.clock();
  const MonoTime deadline = clock.mono() + kMountPatience;
  for (;;) {
    const Result<std::string> mounts = machine_.read("/proc/self/mountinfo");
    if (!mounts) return tl::unexpected<Error>(mounts.error());
    if (mounts->find(" " + path.string() + " ") != std::string::npos) return {};
    const bool gone = !machine_.running(process);
    if (gone || clock.mono() >= deadline) {
      const Result<std::string> said = machine_.read(log_file(log));
      const std::string why(said ? trim(*said) : std::string_view{});
      return fail(ErrorCode::kUnavailable, path.string(),
                  fmt::format("was not mounted: its program {}{}{}", gone ? "ended" : "is silent",
                              why.empty() ? "" : ": ", why.substr(why.rfind('\n') + 1)));
    }
    clock.sleep_until(clock.mono() + 50ms);
  }
}

namespace {

constexpr const char* kMemoryVersion1 = "/sys/fs/cgroup/memory";
constexpr const char* kCpuVersion1 = "/sys/fs/cgroup/cpu";
constexpr const char* kVersion2 = "/sys/fs/cgroup";
/// Where those of version 2 are when version 1 has the controllers.
constexpr const char* kBesideVersion1 = "/sys/fs/cgroup/unified";
/// What nice -15 weighs, which the servers would lose in groups of the usual weight.
constexpr const char* kSharesVersion1 = "29154";
constexpr const char* kWeightVersion2 = "2847";

/// Has the groups of version 2 a controller.
Status allow(Site& site, Setting setting, const std::string& controller) {
  const Result<std::string> controllers = site.machine().read(path_of(setting, ""));
  if (!controllers) return tl::unexpected<Error>(controllers.error());
  if (names_controller(*controllers, controller)) return {};
  return site.set(setting, "", "+" + controller);
}

std::string group_name(const Layout& layout, std::size_t server) {
  return fmt::format("laggard-{}-{}-{}", layout.name, layout.server(server), layout.instance);
}

Status write_all_of(Machine& machine, const std::filesystem::path& group,
                    const std::vector<std::pair<std::string, std::string>>& settings) {
  for (const auto& [file, value] : settings) {
    if (Status written = machine.write(group / file, value); !written) return written;
  }
  return {};
}

}  // namespace

bool version_1(Machine& machine) { return machine.exists(kMemoryVersion1); }

bool names_controller(std::string_view list, std::string_view controller) {
  const std::vector<std::string_view> words = split(trim(list), ' ');
  return std::find(words.begin(), words.end(), controller) != words.end();
}

std::filesystem::path memory_group(Machine& machine, const Layout& layout, std::size_t server) {
  const std::filesystem::path root = version_1(machine) ? kMemoryVersion1 : kVersion2;
  return root / group_name(layout, server);
}

std::filesystem::path cpu_group(Machine& machine, const Layout& layout, std::size_t server) {
  const std::filesystem::path root = version_1(machine) ? kCpuVersion1 : kVersion2;
  return root / group_name(layout, server);
}

std::optional<std::filesystem::path> work_group(Machine& machine, const Layout& layout, std::size_t server) {
  const std::filesystem::path root = kBesideVersion1;
  if (!version_1(machine) || !machine.exists(root / "cgroup.procs")) return std::nullopt;
  return root / group_name(layout, server);
}

Status make_groups(Site& site, std::size_t server) {
  Machine& machine = site.machine();
  if (const auto work = work_group(machine, site.layout(), server)) {
    if (Status made = machine.make_folder(*work); !made) return made;
  }
  const std::filesystem::path memory = memory_group(machine, site.layout(), server);
  const std::string limit = fmt::format("{}M", site.layout().memory_megabytes());
  if (!version_1(machine)) {
    Status ready = allow(site, Setting::kMemoryController, "memory");
    if (ready) ready = allow(site, Setting::kCpuController, "cpu");
    if (ready) ready = machine.make_folder(memory);
    if (!ready) return ready;
    return write_all_of(machine, memory,
                        {{"memory.max", limit}, {"memory.swap.max", "0"}, {"cpu.weight", kWeightVersion2}});
  }
  const std::filesystem::path cpu = cpu_group(machine, site.layout(), server);
  Status ready = machine.make_folder(memory);
  if (ready) ready = machine.make_folder(cpu);
  if (ready) ready = machine.write(cpu / "cpu.shares", kSharesVersion1);
  if (!ready) return ready;
  return write_all_of(machine, memory, {{"memory.limit_in_bytes", limit}, {"memory.swappiness", "0"}});
}

Status empty_cache(Site& site, std::size_t server) {
  Machine& machine = site.machine();
  const std::filesystem::path group = memory_group(machine, site.layout(), server);
  if (version_1(machine)) return machine.write(group / "memory.force_empty", "0");
  // Asked to reclaim everything, the kernel reclaims what it can and reports that it was less.
  (void)machine.write(group / "memory.reclaim", fmt::format("{}M", site.layout().memory_megabytes()));
  return {};
}

namespace {

/// Small enough that a port cannot burst for long, large enough for the timer's resolution.
constexpr const char* kBurst = "64kb";
constexpr const char* kQueue = "400kb";

Command words(std::initializer_list<std::string> argv) { return {std::vector<std::string>(argv), {}}; }

Status allow_cubic(Site& site) {
  const Result<std::string> allowed = site.machine().read(path_of(Setting::kCongestionControl, ""));
  if (!allowed) return tl::unexpected<Error>(allowed.error());
  if (allowed->find("cubic") != std::string::npos) return {};
  return site.set(Setting::kCongestionControl, "", with_cubic(trim(*allowed)));
}

/// A namespace that exists as long as it is mounted on a file of the state folder, where only ours can be.
Status add_namespace(Site& site, std::string_view host) {
  const std::filesystem::path network = site.layout().network(host);
  if (Status made = site.machine().write(network, ""); !made) return made;
  return site.must(words({"unshare", "--net=" + network.native(), "true"}));
}

struct Cable {
  std::string host;
  std::string address;
  const char* to = kFirstSwitch;
};

Status connect(Site& site, const Cable& cable) {
  const std::string& host = cable.host;
  const std::filesystem::path network = site.layout().network(host);
  const std::filesystem::path bridge = site.layout().network(kBridge);
  if (Status added = add_namespace(site, host); !added) return added;
  const std::vector<Command> commands{
      words({"ip", "link", "add", port_of(host), "netns", bridge.native(), "type", "veth", "peer", "name",
             "eth0", "netns", network.native()}),
      inside(bridge, words({"ip", "link", "set", port_of(host), "master", cable.to, "up"})),
      inside(network, words({"ip", "link", "set", "lo", "up"})),
      inside(network, words({"ip", "address", "add", cable.address + "/24", "dev", "eth0"})),
      inside(network, words({"ip", "link", "set", "eth0", "up"})),
      // One buffer is one packet of 1,500 bytes: else a loss of 5 % of packets loses bundles of 64 KB.
      inside(bridge, words({"ethtool", "-K", port_of(host), "tso", "off", "gso", "off", "gro", "off"})),
      inside(network, words({"ethtool", "-K", "eth0", "tso", "off", "gso", "off", "gro", "off"})),
      inside(network, words({"sysctl", "-qw", "net.ipv4.tcp_congestion_control=cubic",
                             "net.ipv4.tcp_no_metrics_save=1"})),
  };
  for (const Command& command : commands) {
    if (Status done = site.must(command); !done) return done;
  }
  return {};
}

/// Both switches and the cable between them.
Status build_switches(Site& site) {
  const std::filesystem::path bridge = site.layout().network(kBridge);
  std::vector<Command> commands;
  for (const char* name : {kFirstSwitch, kSecondSwitch}) {
    commands.push_back(words({"ip", "link", "add", name, "type", "bridge"}));
    commands.push_back(words({"ip", "link", "set", name, "up"}));
  }
  commands.push_back(words({"ip", "link", "add", kTrunkFirst, "type", "veth", "peer", "name", kTrunkSecond}));
  commands.push_back(words({"ip", "link", "set", kTrunkFirst, "master", kFirstSwitch, "up"}));
  commands.push_back(words({"ip", "link", "set", kTrunkSecond, "master", kSecondSwitch, "up"}));
  for (const char* end : {kTrunkFirst, kTrunkSecond}) {
    commands.push_back(words({"ethtool", "-K", end, "tso", "off", "gso", "off", "gro", "off"}));
  }
  for (const Command& command : commands) {
    if (Status done = site.must(inside(bridge, command)); !done) return done;
  }
  return {};
}

Command limited(const char* verb, const std::string& device, double rate) {
  return {{"tc", "qdisc", verb, "dev", device, "root", "tbf", "rate", fmt::format("{:.0f}kbit", 1000 * rate),
           "burst", kBurst, "limit", kQueue},
          {}};
}

}  // namespace

Command limit_device(const std::string& device, double rate) { return limited("add", device, rate); }
Command change_limit(const std::string& device, double rate) { return limited("change", device, rate); }
Command unlimit_device(const std::string& device) {
  return words({"tc", "qdisc", "del", "dev", device, "root"});
}

std::string with_cubic(std::string_view allowed) { return fmt::format("{} cubic", allowed); }

std::string port_of(std::string_view host) { return fmt::format("p-{}", host); }

Status build_network(Site& site) {
  const Layout& layout = site.layout();
  if (Status allowed = allow_cubic(site); !allowed) return allowed;
  if (Status added = add_namespace(site, kBridge); !added) return added;
  if (Status up = build_switches(site); !up) return up;
  for (std::size_t i = 1; i <= layout.servers; ++i) {
    const char* to = layout.is_on_second_switch(i) ? kSecondSwitch : kFirstSwitch;
    if (Status c = connect(site, {layout.server(i), layout.server_address(i), to}); !c) return c;
  }
  for (std::size_t i = 1; i <= layout.clients; ++i) {
    if (Status c = connect(site, {layout.client(i), layout.client_address(i)}); !c) return c;
  }
  if (layout.file_system == FileSystem::kCeph) {
    if (Status c = connect(site, {kMonitorHost, layout.monitor_address()}); !c) return c;
  }
  return connect(site, {kThirdParty, layout.third_party_address()});
}

Status limit_network(Site& site) {
  const Layout& layout = site.layout();
  const auto rate = static_cast<double>(layout.network_megabits);
  for (std::size_t i = 1; i <= layout.servers; ++i) {
    const std::string host = layout.server(i);
    Status limited = site.must(inside(layout.network(host), limit_device("eth0", rate)));
    if (limited) limited = site.must(inside(layout.network(kBridge), limit_device(port_of(host), rate)));
    if (!limited) return limited;
  }
  return {};
}

}  // namespace laggard::lab::bench
