#include "cmd/shared_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "cmd/output.h"

namespace laggard::cmd {

Result<Duration> duration_option(const char* option, const std::string& text, Duration least, Duration most) {
  const Result<Duration> parsed = parse_duration(text);
  if (!parsed) return fail(ErrorCode::kBadUse, option, parsed.error().message());
  if (*parsed < least || *parsed > most) {
    return fail(ErrorCode::kBadUse, option,
                fmt::format("{} is not between {} and {}", text, to_text(least), to_text(most)));
  }
  return *parsed;
}

namespace {

/// Of the program that this is a command of, at whatever depth.
const CLI::App& program_of(const CLI::App& command) {
  const CLI::App* app = &command;
  while (app->get_parent() != nullptr) app = app->get_parent();
  return *app;
}

}  // namespace

void add_named_number_options(CLI::App& command, const NamedNumberHelp& help,
                              std::vector<std::string>& assignments) {
  command.add_option("--set", assignments, help.what + "; may be repeated")
      ->group(help.group)
      ->type_name("NAME=X")
      ->allow_extra_args(false);
  const auto tell = [describe = help.describe, &command] {
    if (Status printed = print(describe()); !printed) {
      throw CLI::RuntimeError(report_error(printed.error(), program_of(command).get_name().c_str()));
    }
    throw CLI::Success();
  };
  command
      .add_flag_callback("--parameters,--constants", tell,
                         "Print what --set can change, with the values in force")
      ->group(help.group);
}

namespace {

using namespace std::chrono_literals;

/// One line, without the end of it: a line end within would become a header of its own.
Result<std::string> read_secret(const std::string& path) {
  Result<std::string> text = read_file(path);
  if (!text) return forward(text);
  while (text->ends_with('\n') || text->ends_with('\r')) text->pop_back();
  if (text->empty() || std::any_of(text->begin(), text->end(), is_control)) {
    return fail(ErrorCode::kBadInput, path,
                "is to hold one line with a password or a token, and nothing else");
  }
  return text;
}

/// Where OpenSSL's own programs look for certificates to trust, in place of the system's.
std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

void add_server_options(CLI::App& command, ServerOptions& options, const std::string& prefix) {
  command
      .add_option("--" + prefix + "password-file", options.password_file,
                  "File with the password of the user in the URL, which a list of processes would show")
      ->type_name("FILE");
  command
      .add_option("--" + prefix + "bearer-token-file", options.token_file,
                  "File with a token to show to the server")
      ->type_name("FILE");
  command
      .add_option("--" + prefix + "timeout", options.timeout,
                  "The longest that one request may take, answer and all")
      ->type_name("TIME")
      ->capture_default_str();
}

Result<net::ServerUrl> server_url(const ServerOptions& options) {
  Result<net::ServerUrl> url = net::parse_server_url(options.url);
  if (!url || options.password_file.empty()) return url;
  if (url->user.empty() || !url->password.empty()) {
    return fail(ErrorCode::kBadUse, "--password-file",
                "goes with a URL that names a user before its host, and no password");
  }
  Result<std::string> password = read_secret(options.password_file);
  if (!password) return forward(password);
  url->password = std::move(*password);
  return url;
}

Result<std::unique_ptr<net::HttpTransport>> connect_server(const ServerOptions& options,
                                                           const net::ServerUrl& url, net::HttpOptions http) {
  const Result<Duration> timeout = duration_option("--timeout", options.timeout, 100ms, 24h);
  if (!timeout) return tl::unexpected<Error>(timeout.error());
  http.deadline = *timeout;
  http.connect_timeout = std::min(http.connect_timeout, *timeout);
  if (!options.token_file.empty()) {
    Result<std::string> token = read_secret(options.token_file);
    if (!token) return forward(token);
    http.bearer_token = trim(*token);
  }
  http.certificate_file = environment("SSL_CERT_FILE");
  http.certificate_folder = environment("SSL_CERT_DIR");
  return net::connect_http(url, std::move(http));
}

}  // namespace laggard::cmd
