#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/error.h"
#include "base/time.h"
#include "net/http.h"
#include "net/server_url.h"

namespace laggard::net {

struct HttpOptions {
  Duration connect_timeout = std::chrono::seconds(10);  ///< Looking up the name, connecting, TLS.
  /// Of one call, from looking up the name to the last byte of the answer, redirections included.
  Duration deadline = std::chrono::minutes(5);
  std::size_t most_bytes = std::size_t{128} << 20U;  ///< Of an unpacked answer to GET.
  std::string bearer_token;
  /// Certificates to trust in place of the system's: a file, a folder. Empty: the system's.
  std::string certificate_file;
  std::string certificate_folder;
  /// Whether we were asked to end: looked at some ten times a second; a call then has `stop_grace` left.
  std::function<bool()> stopped;
  Duration stop_grace{};
};

/// HTTP/1.1 and HTTPS (certificates are checked) over libcurl. Takes packed answers, keeps connections open.
///
/// Follows up to five redirections, to http and https only. User, password and token go to the origin of the
/// URL and nowhere else: another scheme, host or port is another origin, and whoever was redirected there
/// stays without them even if it is sent back. A POST is repeated where 307 and 308 say so; 301, 302 and 303,
/// after which it would become a GET, fail.
///
/// Uses no proxy, no .netrc, no cookies. A server cannot make it read more than `most_bytes`, 64 KiB of
/// headers or twenty interim answers, nor keep it longer than `deadline`.
[[nodiscard]] Result<std::unique_ptr<HttpTransport>> connect_http(const ServerUrl& url, HttpOptions options);

}  // namespace laggard::net
