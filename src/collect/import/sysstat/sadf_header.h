#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace laggard::collect {

/// What `sadf -H` says about a file (docs/formats/sysstat.md).
struct SadfHeader {
  std::string version;                  ///< Of the sysstat that wrote the file; empty when it does not say.
  std::string host;                     ///< Node name; empty when the file's format is too old for this sadf.
  bool readable = false;                ///< False when the file has to be converted first.
  std::vector<std::string> activities;  ///< A_DISK, A_NET_DEV, … in a format that this sadf knows.
  std::vector<std::string> unknown;     ///< Those in a format that it does not.

  [[nodiscard]] bool has(std::string_view activity) const;
};

/// Reads the output of `sadf -H`. Lines that it does not know do not matter: other versions have others.
[[nodiscard]] SadfHeader parse_sadf_header(std::string_view text);

}  // namespace laggard::collect
