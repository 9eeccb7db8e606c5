#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace laggard {

/// Which files and sockets of recorded system calls are those that a file system serves with
/// (docs/methods/syscalls.md). What they do not say is left to the default.
struct TransferRules {
  struct Ports {
    std::uint16_t first = 0;
    std::uint16_t last = 0;
  };

  /// Patterns of the shell, whose `*` matches slashes, too. Empty: every file but those of the system itself
  /// (programs, configuration, logs, temporary ones), and block devices.
  std::vector<std::string> storage{};
  std::vector<Ports> ports{};  ///< At either end of a connection. Empty: all of them.

  /// \param object  as an event of a system call names it: `/data/brick/f`.
  [[nodiscard]] bool is_storage(std::string_view object) const;

  /// Of a TCP connection between two hosts that requests go through the pair of their addresses, as the name
  /// of a device of the kind tcp with the port 0, which no connection has: `10.0.0.1:0>10.0.0.9:0`.
  /// \param object  `TCP:[10.0.0.1:80->10.0.0.9:7]`
  [[nodiscard]] std::optional<std::string> request_peers(std::string_view object) const;
};

}  // namespace laggard
