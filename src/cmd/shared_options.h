#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "cmd/program.h"
#include "net/http_client.h"

// Options that several commands share: times, named numbers, and how a server is reached.

namespace laggard::cmd {

/// What `option` of the command line says in `text`, such as 15s, when it is from `least` to `most`; else one
/// sentence that names the option and its bounds.
[[nodiscard]] Result<Duration> duration_option(const char* option, const std::string& text, Duration least,
                                               Duration most);

struct NamedNumberHelp {
  std::string group;          ///< Of the help, under which both stand.
  std::string what;           ///< What --set changes, with an example.
  std::string (*describe)();  ///< All of them with the values in force, for --parameters.
};

/// `--set NAME=X` and `--parameters`: any number of a table of named ones, and the list of them.
/// \param assignments  where each NAME=X goes, unread; must outlive the command.
void add_named_number_options(CLI::App& command, const NamedNumberHelp& help,
                              std::vector<std::string>& assignments);

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
