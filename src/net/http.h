#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/error.h"

/// Talking to servers: URLs, HTTP, and what a server may not do to its client.

namespace laggard::net {

struct HttpReply {
  int status = 0;
  std::string body;           ///< Unpacked. Of a POST, or of a status other than 2xx, the first 64 KiB.
  std::string retry_after{};  ///< The header of that name; empty without.
  /// The connection that the server had left open was gone, so this answer came over a new one: the server
  /// may have been restarted, or it usually closes connections.
  bool reconnected = false;
  /// The origin that answered, as `http://host:port`, when the server redirected to another one; empty
  /// otherwise.
  std::string elsewhere{};
};

using HttpHeaders = std::multimap<std::string, std::string>;

/// Sends requests to one server; an interface so that tests can be the server. An HTTP error is a reply, not
/// an Error. Calls fail with kUnavailable when no whole answer came, which may work the next time; with
/// kBadInput when an answer is longer than allowed; with kBadUse when the server redirects to where we do not
/// go.
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

/// Words a server's refusal as the end of a sentence: its status, its message in a form that is safe for a
/// terminal, and what the user may do. Not every refusal follows the server's API: a proxy may have answered.
/// \param reply   with a status other than 2xx.
/// \param error   the message in the API's form; empty for any other page, whose first line is shown then.
/// \param advice  the caller's advice for this status; empty for the common one.
[[nodiscard]] std::string refusal(const HttpReply& reply, std::string_view error, std::string_view advice);

}  // namespace laggard::net
