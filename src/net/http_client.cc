#include "net/http_client.h"

#include <curl/curl.h>

#include <memory>
#include <optional>
#include <utility>

#include "net/http_exchange.h"

namespace laggard::net {

namespace {

constexpr int kMostRedirects = 5;

/// Where a redirection leads.
struct Place {
  std::string url;     ///< Without user, password and fragment.
  std::string origin;  ///< `http://host:port`, always with its port, so that texts can be compared.
};

/// Nothing where it is no URL of http or https. libcurl parses the URL here as it does for its requests, so
/// what we check is where the request goes.
std::optional<Place> place_of(const std::string& text) {
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> url(curl_url(), &curl_url_cleanup);
  if (!url || curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK) return std::nullopt;
  for (const CURLUPart secret : {CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_OPTIONS, CURLUPART_FRAGMENT}) {
    curl_url_set(url.get(), secret, nullptr, 0);
  }
  const auto part = [&](CURLUPart which, unsigned flags = 0) {
    char* found = nullptr;
    if (curl_url_get(url.get(), which, &found, flags) != CURLUE_OK) return std::string();
    const std::unique_ptr<char, decltype(&curl_free)> held(found, &curl_free);
    return std::string(found);
  };
  const std::string scheme = part(CURLUPART_SCHEME);
  std::string host = part(CURLUPART_HOST);
  if ((scheme != "http" && scheme != "https") || host.empty()) return std::nullopt;
  for (char& c : host) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return Place{part(CURLUPART_URL), fmt::format("{}://{}{}:{}", scheme, host, part(CURLUPART_ZONEID),
                                                part(CURLUPART_PORT, CURLU_DEFAULT_PORT))};
}

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

class CurlTransport final : public HttpTransport {
 public:
  CurlTransport(const ServerUrl& url, Place home, HttpOptions options)
      : shown_(url.shown()),
        base_(url.origin + url.prefix),
        home_(std::move(home)),
        deadline_(options.deadline),
        exchange_(url, std::move(options)) {}

  [[nodiscard]] bool valid() const { return exchange_.valid(); }

  [[nodiscard]] Result<HttpReply> get(const std::string& path,
                                      const std::multimap<std::string, std::string>& parameters) override {
    HttpQuestion question;
    question.url = base_ + path;
    char separator = '?';
    for (const auto& [name, value] : parameters) {
      question.url += separator + exchange_.escaped(name) + "=" + exchange_.escaped(value);
      separator = '&';
    }
    return follow(std::move(question));
  }

  [[nodiscard]] Result<HttpReply> post(const std::string& path, const HttpHeaders& headers,
                                       std::string_view body) override {
    HttpQuestion question;
    question.url = base_ + path;
    question.post = true;
    question.body = body;
    question.headers = &headers;
    return follow(std::move(question));
  }

 private:
  [[nodiscard]] tl::unexpected<Error> refused(std::string what) const {
    return fail(ErrorCode::kBadUse, shown_, std::move(what));
  }

  [[nodiscard]] Result<HttpReply> follow(HttpQuestion question) {
    const auto deadline = HttpExchange::Clock::now() + deadline_;
    question.origin = home_.origin;
    question.with_credentials = true;
    for (int redirects = 0; redirects <= kMostRedirects; ++redirects) {
      Result<HttpAnswer> answer = exchange_.ask(question, deadline);
      if (!answer) {
        Error error = std::move(answer.error());
        error.where = shown_;
        if (question.origin != home_.origin)
          error.what = fmt::format("it redirects to {}: {}", question.origin, error.what);
        return tl::unexpected<Error>(std::move(error));
      }
      if (question.origin != home_.origin) answer->reply.elsewhere = question.origin;
      if (!is_redirect(answer->reply.status) || answer->redirect.empty()) return std::move(answer->reply);
      if (Status on = redirect(question, *answer); !on) return forward(on);
    }
    return refused(fmt::format("the server redirects more than {} times", kMostRedirects));
  }

  /// Redirects the question to where the answer says.
  [[nodiscard]] Status redirect(HttpQuestion& question, const HttpAnswer& answer) const {
    std::optional<Place> place = place_of(answer.redirect);
    if (!place) return refused("the server redirects to what is no URL of http or https");
    const int status = answer.reply.status;
    if (question.post && status != 307 && status != 308) {
      return refused(fmt::format(
          "the server answers {} and redirects to {}, where nothing can be sent by that; give the "
          "URL that it means",
          status, place->url.substr(0, place->url.find('?'))));  // A query may hold a token.
    }
    question.url = std::move(place->url);
    question.origin = std::move(place->origin);
    // Once credentials are dropped they stay dropped, even if another server redirects back to us.
    question.with_credentials = question.with_credentials && question.origin == home_.origin;
    return {};
  }

  std::string shown_;
  std::string base_;
  Place home_;
  Duration deadline_;
  HttpExchange exchange_;
};

}  // namespace

Result<std::unique_ptr<HttpTransport>> connect_http(const ServerUrl& url, HttpOptions options) {
  std::optional<Place> home = place_of(url.origin + "/");
  if (!home) return fail(ErrorCode::kBadUse, url.shown(), "is no URL of a server");
  if (!url.user.empty() && !options.bearer_token.empty()) {
    return fail(ErrorCode::kBadUse, url.shown(), "give a user in the URL or a token, not both");
  }
  auto transport = std::make_unique<CurlTransport>(url, std::move(*home), std::move(options));
  if (!transport->valid()) return fail(ErrorCode::kInternal, url.shown(), "cannot begin to use libcurl");
  return transport;
}

}  // namespace laggard::net
