#include "base/http_client.h"

#include <httplib.h>

#include <utility>

namespace laggard {

namespace {

std::string reason(httplib::Error error) {
  switch (error) {
    case httplib::Error::Connection:
    case httplib::Error::ConnectionTimeout:
      return "cannot connect; is the server running there?";
    case httplib::Error::Read:
      return "the server closed the connection or took too long to answer";
    case httplib::Error::SSLServerVerification:
    case httplib::Error::SSLLoadingCerts:
      return "the server's certificate is not trusted";
    case httplib::Error::SSLConnection:
      return "cannot agree on an encrypted connection; is it http instead of https?";
    default:
      return "the connection failed: " + httplib::to_string(error);
  }
}

class HttplibTransport final : public HttpTransport {
 public:
  HttplibTransport(ServerUrl url, const HttpOptions& options)
      : url_(std::move(url)), most_bytes_(options.most_bytes), client_(url_.origin) {
    client_.set_connection_timeout(std::chrono::duration_cast<std::chrono::seconds>(options.connect_timeout));
    client_.set_read_timeout(std::chrono::duration_cast<std::chrono::seconds>(options.answer_timeout));
    client_.set_write_timeout(std::chrono::duration_cast<std::chrono::seconds>(options.answer_timeout));
    client_.set_tcp_nodelay(true);
    client_.set_socket_options([this](socket_t socket) {
      ++connections_;
      httplib::default_socket_options(socket);
    });
    client_.set_follow_location(true);
    client_.set_keep_alive(true);
    if (!url_.user.empty()) client_.set_basic_auth(url_.user, url_.password);
    if (!options.bearer_token.empty()) client_.set_bearer_token_auth(options.bearer_token);
  }

  [[nodiscard]] bool valid() const { return client_.is_valid(); }

  [[nodiscard]] Result<HttpReply> get(const std::string& path,
                                      const std::multimap<std::string, std::string>& parameters) override {
    HttpReply reply;
    bool too_long = false;
    const std::string target = httplib::append_query_params(url_.prefix + path, parameters);
    const httplib::Result answer = client_.Get(target, [&](const char* data, std::size_t length) {
      too_long = reply.body.size() + length > most_bytes_;
      if (!too_long) reply.body.append(data, length);
      return !too_long;
    });
    if (too_long) {
      return fail(ErrorCode::kBadInput, url_.shown(),
                  fmt::format("an answer is longer than {} bytes", most_bytes_));
    }
    return finished(answer, std::move(reply));
  }

  [[nodiscard]] Result<HttpReply> post(const std::string& path, const HttpHeaders& headers,
                                       std::string_view body) override {
    httplib::Headers sent;
    std::string type;
    for (const auto& [name, value] : headers) {
      if (name == "Content-Type") {
        type = value;
      } else {
        sent.emplace(name, value);
      }
    }
    const std::string target = url_.prefix + path;
    const httplib::Result answer =
        client_.Post(target.empty() ? "/" : target, sent, body.data(), body.size(), type);
    HttpReply reply;
    if (answer) reply.body = answer->body;
    return finished(answer, std::move(reply));
  }

 private:
  [[nodiscard]] Result<HttpReply> finished(const httplib::Result& answer, HttpReply reply) const {
    if (!answer) return fail(ErrorCode::kUnavailable, url_.shown(), reason(answer.error()));
    reply.status = answer->status;
    reply.retry_after = answer->get_header_value("Retry-After");
    reply.connection = connections_;
    reply.closing = answer->get_header_value("Connection") == "close";
    return reply;
  }

  ServerUrl url_;
  std::size_t most_bytes_;
  std::uint64_t connections_ = 0;
  httplib::Client client_;
};

}  // namespace

Result<ServerUrl> parse_server_url(std::string_view text) {
  ServerUrl url;
  const std::string whole(text);
  std::string_view scheme = "http://";
  if (text.starts_with("https://")) scheme = "https://";
  if (!text.starts_with(scheme)) {
    return fail(ErrorCode::kBadUse, "",
                fmt::format("`{}` is no URL; write http://host:9090 or https://…", whole));
  }
  text.remove_prefix(scheme.size());
  const std::size_t slash = std::min(text.find('/'), text.size());
  std::string_view authority = text.substr(0, slash);
  url.prefix = text.substr(slash);
  while (url.prefix.ends_with('/')) url.prefix.pop_back();
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    const std::string_view user = authority.substr(0, at);
    const std::size_t colon = std::min(user.find(':'), user.size());
    url.user = user.substr(0, colon);
    url.password = colon < user.size() ? user.substr(colon + 1) : "";
    authority.remove_prefix(at + 1);
  }
  if (authority.empty() || url.prefix.find_first_of("?#") != std::string::npos) {
    return fail(ErrorCode::kBadUse, "", "the URL has no host, or more than a path after it");
  }
  url.origin.assign(scheme).append(authority);
  return url;
}

Result<std::unique_ptr<HttpTransport>> connect_http(const ServerUrl& url, const HttpOptions& options) {
  auto transport = std::make_unique<HttplibTransport>(url, options);
  if (!transport->valid()) return fail(ErrorCode::kBadUse, url.shown(), "is no URL of a server");
  return transport;
}

}  // namespace laggard
