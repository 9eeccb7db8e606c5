#pragma once

#include <curl/curl.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "net/http_client.h"

namespace laggard::net {

/// One question to one URL.
struct HttpQuestion {
  std::string url;     ///< Whole, without credentials.
  std::string origin;  ///< Of the URL.
  bool with_credentials = false;
  bool post = false;
  std::string_view body{};
  const HttpHeaders* headers = nullptr;
};

struct HttpAnswer {
  HttpReply reply;
  std::string redirect;  ///< Where it redirects to, as a whole URL; empty when it does not.
};

/// One request after the other over libcurl, with every limit that HttpOptions names. Does not follow
/// redirections: `connect_http` does, and decides who may see the credentials.
class HttpExchange {
 public:
  using Clock = std::chrono::steady_clock;

  HttpExchange(ServerUrl url, HttpOptions options);

  [[nodiscard]] bool valid() const { return easy_ && multi_; }
  /// Errors say what happened, not where.
  [[nodiscard]] Result<HttpAnswer> ask(const HttpQuestion& question, Clock::time_point deadline);
  /// `text` as a part of a query.
  [[nodiscard]] std::string escaped(std::string_view text) const;

 private:
  struct Progress;
  struct EndEasy {
    void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
  };
  struct EndMulti {
    void operator()(CURLM* handle) const { curl_multi_cleanup(handle); }
  };
  struct EndList {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  };
  using Headers = std::unique_ptr<curl_slist, EndList>;

  void prepare(const HttpQuestion& question, Progress& progress, curl_slist* headers);
  void prepare_limits(Progress& progress);
  [[nodiscard]] static Headers header_list(const HttpQuestion& question);
  [[nodiscard]] CURLcode perform(Progress& progress);
  [[nodiscard]] Result<HttpAnswer> finished(CURLcode code, const HttpQuestion& question, Progress& progress);
  [[nodiscard]] std::string late() const;
  [[nodiscard]] bool on_new_connection(const HttpQuestion& question, bool stays_open);
  static std::size_t take_header(char* data, std::size_t one, std::size_t count, void* progress);
  static std::size_t take_body(char* data, std::size_t one, std::size_t count, void* progress);

  ServerUrl url_;
  HttpOptions options_;
  std::unique_ptr<CURL, EndEasy> easy_;
  std::unique_ptr<CURLM, EndMulti> multi_;
  /// When the connection to an origin was last used, where the server left it open.
  std::map<std::string, Clock::time_point> open_;
};

}  // namespace laggard::net
