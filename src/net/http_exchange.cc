#include "net/http_exchange.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/text.h"

namespace laggard::net {

namespace {

/// Headers, trailers and status lines together.
constexpr std::size_t kMostHeaderBytes = std::size_t{64} << 10U;
/// A body that only people read.
constexpr std::size_t kMostErrorBytes = std::size_t{64} << 10U;
constexpr int kMostStatusLines = 20;
constexpr int kPollMs = 100;
constexpr std::chrono::seconds kLongestIdle{100};
constexpr long kMostConnections = 8;

std::string reason(CURLcode code) {
  switch (code) {
    case CURLE_COULDNT_CONNECT:
      return "cannot connect; is the server running there?";
    case CURLE_COULDNT_RESOLVE_HOST:
      return "cannot connect; no host of that name is known";
    case CURLE_GOT_NOTHING:
      return "the server closed the connection without an answer";
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
      return "the connection broke off before the answer was complete";
    case CURLE_PEER_FAILED_VERIFICATION:
      return "the server's certificate is not trusted";
    case CURLE_SSL_CACERT_BADFILE:
      return "the certificates to trust cannot be read";
    case CURLE_SSL_CONNECT_ERROR:
      return "cannot agree on an encrypted connection; is it http instead of https?";
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_UNSUPPORTED_PROTOCOL:
      return "the answer is no HTTP; is it https instead of http, or another service?";
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_WRITE_ERROR:
      return "the answer is packed in a way that cannot be unpacked";
    case CURLE_OUT_OF_MEMORY:  // What libcurl says of a line of more than 100 kB.
      return "the answer begins with headers longer than any server needs";
    default:
      return std::string("the connection failed: ") + curl_easy_strerror(code);
  }
}

bool same_letters(std::string_view text, std::string_view small) {
  return std::equal(text.begin(), text.end(), small.begin(), small.end(),
                    [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
}

/// Whether a list such as `keep-alive, TE` names `word`.
bool names(std::string_view list, std::string_view word) {
  const auto words = split(list, ',');
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view one) { return same_letters(trim(one), word); });
}

}  // namespace

/// The state of the answer that is coming in.
struct HttpExchange::Progress {
  const HttpOptions& options;
  Clock::time_point deadline;
  bool post;
  HttpReply reply{};
  std::size_t header_bytes = 0;
  int status_lines = 0;
  bool stays_open = false;
  bool too_much_header = false;
  bool too_long = false;   ///< The answer, where that is an error.
  bool cut_short = false;  ///< We stopped reading where the rest does not matter.
  bool late = false;
  bool stopped = false;
  Clock::time_point next_look{};  ///< When to ask `stopped` again, which costs a system call.

  /// Whether the deadline has passed; a request to stop brings it forward.
  [[nodiscard]] bool over() {
    const Clock::time_point now = Clock::now();
    if (!stopped && options.stopped && now >= next_look) {
      next_look = now + std::chrono::milliseconds(kPollMs / 2);
      stopped = options.stopped();
      if (stopped) deadline = std::min(deadline, now + options.stop_grace);
    }
    if (now < deadline) return false;
    late = true;
    return true;
  }

  void status_line(std::string_view line) {
    ++status_lines;
    reply.status = 0;
    reply.retry_after.clear();
    stays_open = line.starts_with("HTTP/1.1");
    static_cast<void>(take_word(line));
    reply.status = to_number<int>(take_word(line)).value_or(0);
  }

  void header(std::string_view line) {
    header_bytes += line.size();
    if (line.starts_with("HTTP/")) return status_line(line);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return;
    const std::string_view name = line.substr(0, colon);
    const std::string_view value = trim(line.substr(colon + 1));
    if (same_letters(name, "retry-after")) reply.retry_after = value;
    if (same_letters(name, "connection")) {
      if (names(value, "close")) stays_open = false;
      if (names(value, "keep-alive")) stays_open = true;
    }
  }

  /// \return false to stop reading.
  [[nodiscard]] bool body(std::string_view data) {
    if (over()) return false;
    const bool wanted = !post && reply.status >= 200 && reply.status < 300;
    const std::size_t room = (wanted ? options.most_bytes : kMostErrorBytes) - reply.body.size();
    if (data.size() > room) {
      (wanted ? too_long : cut_short) = true;
      if (wanted) return false;
    }
    reply.body.append(data.substr(0, room));
    return !cut_short;
  }
};

HttpExchange::HttpExchange(ServerUrl url, HttpOptions options)
    : url_(std::move(url)), options_(std::move(options)), easy_(curl_easy_init()), multi_(curl_multi_init()) {
  if (multi_) curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, kMostConnections);
}

std::string HttpExchange::escaped(std::string_view text) const {
  const std::unique_ptr<char, decltype(&curl_free)> out(
      curl_easy_escape(easy_.get(), text.data(), static_cast<int>(text.size())), &curl_free);
  return out && !text.empty() ? out.get() : "";
}

std::size_t HttpExchange::take_header(char* data, std::size_t one, std::size_t count, void* progress) {
  auto& known = *static_cast<Progress*>(progress);
  known.header({data, one * count});
  known.too_much_header = known.header_bytes > kMostHeaderBytes || known.status_lines > kMostStatusLines;
  return known.too_much_header || known.over() ? 0 : one * count;
}

std::size_t HttpExchange::take_body(char* data, std::size_t one, std::size_t count, void* progress) {
  return static_cast<Progress*>(progress)->body({data, one * count}) ? one * count : 0;
}

HttpExchange::Headers HttpExchange::header_list(const HttpQuestion& question) {
  Headers list(curl_slist_append(nullptr, "Expect:"));  // Else it waits a second for "100 Continue".
  if (question.headers == nullptr) return list;
  for (const auto& [name, value] : *question.headers) {
    const std::string line = fmt::format("{}: {}", name, value);
    curl_slist_append(list.get(), line.c_str());
  }
  return list;
}

void HttpExchange::prepare_limits(Progress& progress) {
  CURL* easy = easy_.get();
  const auto connect_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(options_.connect_timeout).count();
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(connect_ms));
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(easy, CURLOPT_PROXY, "");  // Never the environment's: it would see the credentials.
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT,
                   1L);  // Do not wait at the end for a silent name server.
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  if (!options_.certificate_file.empty()) {
    curl_easy_setopt(easy, CURLOPT_CAINFO, options_.certificate_file.c_str());
  }
  if (!options_.certificate_folder.empty()) {
    curl_easy_setopt(easy, CURLOPT_CAPATH, options_.certificate_folder.c_str());
  }
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &HttpExchange::take_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &progress);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &HttpExchange::take_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &progress);
}

void HttpExchange::prepare(const HttpQuestion& question, Progress& progress, curl_slist* headers) {
  CURL* easy = easy_.get();
  curl_easy_reset(easy);  // Options only: connections and resolved names stay.
  prepare_limits(progress);
  curl_easy_setopt(easy, CURLOPT_URL, question.url.c_str());
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "laggard");
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip");
  if (question.post) {
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, question.body.data());
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(question.body.size()));
  }
  if (!question.with_credentials) return;
  if (!url_.user.empty()) {
    curl_easy_setopt(easy, CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_BASIC));
    curl_easy_setopt(easy, CURLOPT_USERNAME, url_.user.c_str());
    curl_easy_setopt(easy, CURLOPT_PASSWORD, url_.password.c_str());
  } else if (!options_.bearer_token.empty()) {
    curl_easy_setopt(easy, CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_BEARER));
    curl_easy_setopt(easy, CURLOPT_XOAUTH2_BEARER, options_.bearer_token.c_str());
  }
}

CURLcode HttpExchange::perform(Progress& progress) {
  CURLM* multi = multi_.get();
  if (curl_multi_add_handle(multi, easy_.get()) != CURLM_OK) return CURLE_FAILED_INIT;
  CURLcode code = CURLE_OK;
  for (int running = 1; running > 0;) {
    if (curl_multi_perform(multi, &running) != CURLM_OK) code = CURLE_FAILED_INIT;
    if (code != CURLE_OK || running == 0 || progress.over()) break;
    curl_multi_poll(multi, nullptr, 0, kPollMs, nullptr);
  }
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi, &left)) {
    if (message->msg == CURLMSG_DONE) code = message->data.result;
  }
  curl_multi_remove_handle(multi, easy_.get());
  return code;
}

std::string HttpExchange::late() const {
  curl_off_t connected = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_PRETRANSFER_TIME_T, &connected);
  const double seconds =
      to_seconds(connected > 0 ? options_.deadline : std::min(options_.connect_timeout, options_.deadline));
  return connected > 0 ? fmt::format("the server gave no whole answer within {:g} s", seconds)
                       : fmt::format("cannot connect within {:g} s; is the server running there?", seconds);
}

bool HttpExchange::on_new_connection(const HttpQuestion& question, bool stays_open) {
  constexpr std::size_t kMostOrigins = 16;
  const Clock::time_point now = Clock::now();
  long made = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_NUM_CONNECTS, &made);
  const auto before = open_.find(question.origin);
  const bool gone = before != open_.end() && now - before->second < kLongestIdle && made > 0;
  if (open_.size() > kMostOrigins) open_.clear();
  if (stays_open) {
    open_[question.origin] = now;
  } else {
    open_.erase(question.origin);
  }
  return gone;
}

Result<HttpAnswer> HttpExchange::finished(CURLcode code, const HttpQuestion& question, Progress& progress) {
  const bool complete = code == CURLE_OK && !progress.late;
  const bool gone = on_new_connection(question, complete && progress.stays_open);
  if (progress.stopped && !complete)
    return fail(ErrorCode::kUnavailable, "", "stopped before the answer was there");
  if (progress.late || code == CURLE_OPERATION_TIMEDOUT) return fail(ErrorCode::kUnavailable, "", late());
  if (progress.too_much_header) {
    return fail(ErrorCode::kUnavailable, "", "the answer begins with headers longer than any server needs");
  }
  if (progress.too_long) {
    return fail(ErrorCode::kBadInput, "",
                fmt::format("an answer is longer than {} bytes", options_.most_bytes));
  }
  if (code != CURLE_OK && !progress.cut_short) return fail(ErrorCode::kUnavailable, "", reason(code));
  HttpAnswer answer{std::move(progress.reply), {}};
  answer.reply.reconnected = gone;
  const char* redirect = nullptr;
  curl_easy_getinfo(easy_.get(), CURLINFO_REDIRECT_URL, &redirect);
  if (redirect != nullptr) answer.redirect = redirect;
  return answer;
}

Result<HttpAnswer> HttpExchange::ask(const HttpQuestion& question, Clock::time_point deadline) {
  Progress progress{.options = options_, .deadline = deadline, .post = question.post};
  if (progress.over()) return finished(CURLE_OPERATION_TIMEDOUT, question, progress);
  const Headers headers = header_list(question);
  prepare(question, progress, headers.get());
  const CURLcode code = perform(progress);
  return finished(code, question, progress);
}

}  // namespace laggard::net
