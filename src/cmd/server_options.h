#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "base/error.h"
#include "net/http_client.h"

namespace laggard::cmd {

/// How a server is reached, as the commands that talk to one have it.
struct ServerOptions {
  std::string url;
  std::string password_file;
  std::string token_file;
  std::string timeout;
};

/// `--password-file`, `--bearer-token-file` and `--timeout`, which must have its default. The URL is for the
/// command to add. \param prefix  `prometheus-` makes it --prometheus-password-file and so on, for a command
/// that talks to two servers.
void add_server_options(CLI::App& command, ServerOptions& options, const std::string& prefix = "");

/// The URL, with the password of the file.
[[nodiscard]] Result<net::ServerUrl> server_url(const ServerOptions& options);

/// \param http  what the command itself decides.
[[nodiscard]] Result<std::unique_ptr<net::HttpTransport>> connect_server(const ServerOptions& options,
                                                                         const net::ServerUrl& url,
                                                                         net::HttpOptions http);

}  // namespace laggard::cmd
