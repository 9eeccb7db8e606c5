#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lab/bench/journal.h"
#include "lab/bench/layout.h"
#include "lab/bench/machine.h"

namespace laggard::lab::bench {

/// What is in the environment of a process of the bench: of all but the modelled disks, and of those, which
/// have to outlive the mounts. By it they are found.
[[nodiscard]] std::string process_mark(const Layout& layout);
[[nodiscard]] std::string disk_mark(const Layout& layout);

/// The machine while a bench stands on it: settings are changed through here, and go into the journal first;
/// programs are started through here, and get their mark.
class Site {
 public:
  /// Everything outlives this.
  Site(Machine& machine, Journal& journal, const Layout& layout)
      : machine_(machine), journal_(journal), layout_(layout) {}

  /// Changes a setting that is given back in the end. \param loop  as for `path_of`
  [[nodiscard]] Status set(Setting setting, const std::string& loop, std::string_view value);
  /// What a setting holds is given back in the end; it is changed by way of another one.
  [[nodiscard]] Status keep(Setting setting, const std::string& loop);

  /// Attaches a block device to a file. \return its name (`loop7`).
  [[nodiscard]] Result<std::string> attach_loop(const std::filesystem::path& backing);

  /// A command that does not last.
  [[nodiscard]] Status must(Command command);
  /// Starts a program in the network of a host.
  [[nodiscard]] Result<int> start(std::string_view host, Command command, std::string_view log);
  /// Starts the program of a modelled disk.
  [[nodiscard]] Result<int> start_disk(Command command, std::string_view log);
  /// Waits until something is mounted at `path`. \param process  who is to mount it
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

/// A control group per server, so that each has a page cache of its own: in one cache for all, what one
/// server reads would push out what the others have. Control groups of version 1 where the machine has them
/// mounted for memory, else of version 2.
/// Its name has the id of this building of the bench: nobody else's is it.
[[nodiscard]] std::filesystem::path memory_group(Machine& machine, const Layout& layout, std::size_t server);

/// Creates the group with its limit.
[[nodiscard]] Status make_memory_group(Site& site, std::size_t server);

/// Takes what is cached and clean out of a server's memory.
[[nodiscard]] Status empty_cache(Site& site, std::size_t server);

/// What the kernel's list of allowed congestion controls becomes, from what it was without cubic.
[[nodiscard]] std::string with_cubic(std::string_view allowed);

/// Lets the namespaces choose CUBIC, as F's machines had it, and builds one namespace per host, joined by a
/// bridge in a namespace of its own. The host's network is neither seen nor touched.
[[nodiscard]] Status build_network(Site& site);

/// Limits the servers' ports to the modelled rate, both ways. Clients' are not limited: a client that is the
/// bottleneck would hide what its servers do.
[[nodiscard]] Status limit_network(Site& site);

}  // namespace laggard::lab::bench
