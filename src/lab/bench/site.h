#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lab/bench/journal.h"
#include "lab/bench/layout.h"
#include "lab/bench/machine.h"

namespace laggard::lab::bench {

/// The machine while a bench stands on it: every change goes through here, and into the journal first.
class Site {
 public:
  /// Everything outlives this.
  Site(Machine& machine, Journal& journal, const Layout& layout)
      : machine_(machine), journal_(journal), layout_(layout) {}

  /// A change that `command` makes.
  [[nodiscard]] Status change(const Change& change, const Command& command);
  /// A change that comes later, by a program that is still to be started.
  [[nodiscard]] Status announce(const Change& change) { return journal_.enter(change); }
  /// Sets a file of /proc or /sys whose old value is given back in the end.
  [[nodiscard]] Status set(const std::filesystem::path& path, std::string_view value);
  /// What a file of /proc or /sys holds is given back in the end; it is changed by way of another file.
  [[nodiscard]] Status keep(const std::filesystem::path& path);

  /// Attaches a block device to a file. \return its name (`loop7`).
  [[nodiscard]] Result<std::string> attach_loop(const std::filesystem::path& backing);

  /// What leaves nothing behind, or only in what is itself undone.
  [[nodiscard]] Status must(const Command& command) { return machine_.must(command); }
  /// Starts a program in the network of a host; it is ended with that network.
  [[nodiscard]] Result<int> start(std::string_view host, Command command, std::string_view log);
  /// Waits until something is mounted at `path`. \param process  who is to mount it
  [[nodiscard]] Status await_mount(const std::filesystem::path& path, int process, std::string_view log);

  [[nodiscard]] Machine& machine() { return machine_; }
  [[nodiscard]] const Layout& layout() const { return layout_; }

 private:
  Machine& machine_;
  Journal& journal_;
  const Layout& layout_;
};

/// `mq-deadline` of `none [mq-deadline] kyber`: what a file that lists choices is set to.
[[nodiscard]] std::string_view chosen(std::string_view setting);

}  // namespace laggard::lab::bench
