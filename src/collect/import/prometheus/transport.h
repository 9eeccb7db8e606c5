#pragma once

#include <map>
#include <string>

#include "base/error.h"

namespace laggard::collect {

struct HttpReply {
  int status = 0;
  std::string body;
};

/// Fetches a page of one server; exists so that tests can be the server.
class HttpTransport {
 public:
  virtual ~HttpTransport() = default;
  /// \param path  below the server's URL, starting with a slash: `/api/v1/query`.
  /// Fails when the server does not answer; an answer with an HTTP error is a reply.
  [[nodiscard]] virtual Result<HttpReply> get(const std::string& path,
                                              const std::multimap<std::string, std::string>& parameters) = 0;
};

}  // namespace laggard::collect
