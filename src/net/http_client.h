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
  Duration connect_timeout = std::chrono::seconds(10);  ///< For looking up the name, connecting and TLS.
  /// For one call, from looking up the name to the last byte of the answer, redirections included.
  Duration deadline = std::chrono::minutes(5);
  std::size_t most_bytes = std::size_t{128} << 20U;  ///< The longest answer to a GET, unpacked.
  std::string bearer_token;
  /// Certificates to trust in place of the system's: a file, a folder. Empty: the system's.
  std::string certificate_file;
  std::string certificate_folder;
  /// Whether we were asked to stop, called about ten times a second. A call then has `stop_grace` left.
  std::function<bool()> stopped;
  Duration stop_grace{};
};

/// HTTP/1.1 and HTTPS (certificates are checked) over libcurl. Takes packed answers, keeps connections open.
///
/// Follows up to five redirections, to http and https only. User, password and token go to the origin of the
/// URL and nowhere else: another scheme, host or port is another origin, and a request that was redirected
/// there goes without them even if it is sent back. A POST is repeated after 307 and 308; it fails after 301,
/// 302 and 303, which would turn it into a GET.
///
/// Uses no proxy, no .netrc, no cookies. A server cannot make it read more than `most_bytes`, 64 KiB of
/// headers or twenty interim answers, nor keep it longer than `deadline`.
[[nodiscard]] Result<std::unique_ptr<HttpTransport>> connect_http(const ServerUrl& url, HttpOptions options);

}  // namespace laggard::net
