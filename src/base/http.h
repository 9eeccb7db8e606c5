#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/error.h"

namespace laggard {

struct HttpReply {
  int status = 0;
  std::string body;
  std::string retry_after{};  ///< The header of that name; empty without.
  /// Counts the connections that were made to the server: a reply over another connection than the one before
  /// may be of a server that was started anew.
  std::uint64_t connection = 0;
  bool closing = false;  ///< The server said that it ends this connection, so the next is a new one anyway.
};

using HttpHeaders = std::multimap<std::string, std::string>;

/// Asks one server; exists so that tests can be the server. Calls fail when the server does not answer; an
/// answer with an HTTP error is a reply.
class HttpTransport {
 public:
  virtual ~HttpTransport() = default;
  /// \param path  below the server's URL, starting with a slash: `/api/v1/query`.
  [[nodiscard]] virtual Result<HttpReply> get(const std::string& path,
                                              const std::multimap<std::string, std::string>& parameters) = 0;
  /// \param path  as above, or empty for the URL itself. \param headers  `Content-Type` among them.
  [[nodiscard]] virtual Result<HttpReply> post(const std::string& path, const HttpHeaders& headers,
                                               std::string_view body) = 0;
};

}  // namespace laggard
