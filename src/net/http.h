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
  /// may have been started anew, or closes connections as a habit.
  bool reconnected = false;
  /// Who answered, as `http://host:port`, when it was another origin that the server had redirected to.
  /// Empty otherwise.
  std::string elsewhere{};
};

using HttpHeaders = std::multimap<std::string, std::string>;

/// Asks one server; exists so that tests can be the server. An answer with an HTTP error is a reply.
/// Calls fail with kUnavailable when no whole answer came, which may be otherwise the next time; with
/// kBadInput when an answer is longer than allowed; with kBadUse when the server sends us where we do not go.
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

/// A server's refusal as the end of a sentence: its status, what it says in a form that a terminal can show,
/// and what the user may do. Apart from the client because proxies in front of a server speak too.
/// \param reply   not of status 2xx.
/// \param error   what the reply says in the form of an API; empty for other pages, of which the first line
///                is shown.
/// \param advice  of the caller's own for this status; empty where there is none.
[[nodiscard]] std::string refusal(const HttpReply& reply, std::string_view error, std::string_view advice);

}  // namespace laggard::net
