#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace laggard::net {

/// The parts of `http[s]://[user:password@]host[:port][/prefix]`.
struct ServerUrl {
  std::string origin;    ///< `http://host:port`, the scheme in lower case, the rest as it was given.
  std::string prefix;    ///< Without a slash at its end.
  std::string user;      ///< Decoded, as is the password; empty without one.
  std::string password;  ///< May be empty with a user.

  /// The URL as errors, reports and files show it, without user and password.
  [[nodiscard]] std::string shown() const { return origin + prefix; }
};

/// Parses a URL. Special characters in a user or a password must be percent-encoded (`/` as %2F). Anything
/// ambiguous is refused, and no error quotes any of the text: in a malformed URL a password may stand
/// anywhere.
[[nodiscard]] Result<ServerUrl> parse_server_url(std::string_view text);

}  // namespace laggard::net
