#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace laggard::net {

/// The parts of `http[s]://[user:password@]host[:port][/prefix]`.
struct ServerUrl {
  std::string origin;    ///< `http://host:port`, the scheme in small letters, the rest as it was given.
  std::string prefix;    ///< Without a slash at its end.
  std::string user;      ///< Without percent signs, as the password; empty without one.
  std::string password;  ///< May be empty with a user.

  /// The URL as errors, reports and files show it, without user and password.
  [[nodiscard]] std::string shown() const { return origin + prefix; }
};

/// Reads a URL. What would be special in a user or a password is written with percent signs there (`/` as
/// %2F). What cannot be told apart for certain is refused, and no error quotes any of the text: a password
/// may stand anywhere in what is no URL.
[[nodiscard]] Result<ServerUrl> parse_server_url(std::string_view text);

}  // namespace laggard::net
