#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/http.h"
#include "base/time.h"

namespace laggard {

/// The parts of `http[s]://[user:password@]host[:port][/prefix]`.
struct ServerUrl {
  std::string origin;  ///< `http://host:port`
  std::string prefix;  ///< Without a slash at its end.
  std::string user;
  std::string password;

  /// The URL as errors show it, without the password.
  [[nodiscard]] std::string shown() const { return origin + prefix; }
};
[[nodiscard]] Result<ServerUrl> parse_server_url(std::string_view text);

struct HttpOptions {
  Duration connect_timeout = std::chrono::seconds(10);
  Duration answer_timeout = std::chrono::seconds(150);  ///< Prometheus itself gives up after two minutes.
  std::size_t most_bytes = std::size_t{512} << 20U;     ///< Of an unpacked answer.
  std::string bearer_token;
};

/// HTTP and HTTPS (certificates are checked), follows redirects, takes compressed answers.
[[nodiscard]] Result<std::unique_ptr<HttpTransport>> connect_http(const ServerUrl& url,
                                                                  const HttpOptions& options);

}  // namespace laggard
