#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/bench/journal.h"
#include "lab/bench/layout.h"
#include "lab/bench/machine.h"

namespace laggard::lab::bench {

/// The environment entry by which processes of the bench are found: one for all but the modelled disks, and
/// one for those, which must outlive the mounts.
[[nodiscard]] std::string process_mark(const Layout& layout);
[[nodiscard]] std::string disk_mark(const Layout& layout);

/// A program that was started on a host.
struct HostProcess {
  std::string host;
  int process = 0;
};

/// The machine while a bench exists on it: settings are changed through here, after an entry in the journal,
/// and programs are started through here, with their mark.
class Site {
 public:
  /// Everything outlives this.
  Site(Machine& machine, Journal& journal, const Layout& layout)
      : machine_(machine), journal_(journal), layout_(layout) {}

  /// Changes a setting, which is restored in the end. \param loop  as for `path_of`
  [[nodiscard]] Status set(Setting setting, const std::string& loop, std::string_view value);
  /// Has a setting restored in the end, because changing another one changes it too.
  [[nodiscard]] Status keep(Setting setting, const std::string& loop);

  /// Attaches a block device to a file. \return its name (`loop7`).
  [[nodiscard]] Result<std::string> attach_loop(const std::filesystem::path& backing);

  /// Runs a command to its end; it must succeed.
  [[nodiscard]] Status must(Command command);
  /// Starts a program in the network of a host; on a server in its work_group, where there is one.
  [[nodiscard]] Result<int> start(std::string_view host, Command command, std::string_view log);
  /// Starts the program of a modelled disk.
  [[nodiscard]] Result<int> start_disk(Command command, std::string_view log);
  /// Waits until something is mounted at `path`. \param process  the one that mounts it
  [[nodiscard]] Status await_mount(const std::filesystem::path& path, int process, std::string_view log);

  [[nodiscard]] Machine& machine() { return machine_; }
  [[nodiscard]] const Layout& layout() const { return layout_; }

 private:
  [[nodiscard]] std::filesystem::path log_file(std::string_view log) const;

  Machine& machine_;
  Journal& journal_;
  const Layout& layout_;
};

/// `mq-deadline` of `none [mq-deadline] kyber`: what a file that lists choices is set to.
[[nodiscard]] std::string_view chosen(std::string_view setting);

/// Of the names of network namespaces: both switches are in it, each a bridge.
inline constexpr const char* kBridge = "bridge";
/// The first switch, which has all clients, and the second one.
inline constexpr const char* kFirstSwitch = "br0";
inline constexpr const char* kSecondSwitch = "br1";
/// The cable between them: its end at the first switch, and that at the second.
inline constexpr const char* kTrunkFirst = "trunk1";
inline constexpr const char* kTrunkSecond = "trunk2";

/// The switch's end of a host's cable.
[[nodiscard]] std::string port_of(std::string_view host);

/// Commands that limit a device, change such a limit, and take it away. \param rate  in Mbit/s
[[nodiscard]] Command limit_device(const std::string& device, double rate);
[[nodiscard]] Command change_limit(const std::string& device, double rate);
[[nodiscard]] Command unlimit_device(const std::string& device);

/// The memory control group of a server, so that each server has its own page cache: in a shared one, what
/// one server reads would evict what the others have. Version 1 where the machine has it mounted for memory,
/// else version 2. Its name contains the instance id, which no other group has.
[[nodiscard]] std::filesystem::path memory_group(Machine& machine, const Layout& layout, std::size_t server);

/// The group that accounts for, and can limit, the processor time of a server. In version 2 it is the same
/// group.
[[nodiscard]] std::filesystem::path cpu_group(Machine& machine, const Layout& layout, std::size_t server);

/// The group of all that runs on a server, its daemon and whatever else was started there, which limits
/// nothing: by it one sampler tells servers of one machine apart. Nothing where groups of version 2 do not
/// exist beside those of version 1; in version 2 alone a process can be in one group only, and the daemon's
/// has limits.
[[nodiscard]] std::optional<std::filesystem::path> work_group(Machine& machine, const Layout& layout,
                                                              std::size_t server);

/// Whether a list of controllers of groups of version 2 has one of that name (`cpu` is not `cpuset`).
[[nodiscard]] bool names_controller(std::string_view list, std::string_view controller);

/// Whether control groups are those of version 1 here.
[[nodiscard]] bool version_1(Machine& machine);

/// Creates the groups of a server with their limits. No server swaps, even where the machine does.
[[nodiscard]] Status make_groups(Site& site, std::size_t server);

/// Drops the clean pages from a server's page cache.
[[nodiscard]] Status empty_cache(Site& site, std::size_t server);

/// Adds cubic to the kernel's list of allowed congestion controls.
[[nodiscard]] std::string with_cubic(std::string_view allowed);

/// Allows CUBIC in the namespaces, as F's machines used it, and builds one namespace per host, joined by a
/// bridge in another one. The machine's own network is neither seen nor touched.
[[nodiscard]] Status build_network(Site& site);

/// Limits the servers' ports to the modelled rate, both ways. Clients' ports are not limited: a client that
/// is the bottleneck would hide what its servers do.
[[nodiscard]] Status limit_network(Site& site);

}  // namespace laggard::lab::bench
