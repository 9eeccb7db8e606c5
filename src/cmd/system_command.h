#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "base/error.h"
#include "cmd/program.h"
#include "model/topology.h"

/// What the subcommands of `laggard system` share.
namespace laggard::cmd {

/// Where a command puts the system file that it writes.
struct SystemOutput {
  std::string path;  ///< Empty or `-`: standard output.
  bool force = false;
};

/// `-o FILE` and `--force`.
void add_output_options(CLI::App& command, SystemOutput& output);

/// Makes the text and writes it. A file that is there already is kept unless forced, before anything is made;
/// one of the inputs is kept in any case.
[[nodiscard]] Result<int> write_output(const SystemOutput& output,
                                       std::span<const std::filesystem::path> inputs,
                                       const std::function<Result<std::string>()>& make);

/// `--peers`.
void add_peers_option(CLI::App& command, DiskPeers& peers);

/// `system discover` (system_discover.cc).
void add_system_discover(CLI::App& system, Context& context);

/// `system import` (system_import.cc).
void add_system_import(CLI::App& system, Context& context);

}  // namespace laggard::cmd
