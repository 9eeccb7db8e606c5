#include "net/http.h"

#include <fmt/format.h>

#include "base/text.h"

namespace laggard::net {

namespace {

/// A server's sentence without its middle, where it repeats the whole query.
std::string shortened(std::string_view sentence) {
  constexpr std::size_t kBegin = 120;
  constexpr std::size_t kEnd = 160;
  if (sentence.size() <= kBegin + kEnd) return std::string(sentence);
  return std::string(sentence.substr(0, kBegin)) + " … " +
         std::string(sentence.substr(sentence.size() - kEnd));
}

/// The first line of a page that is no answer of the API, as far as it is printable ASCII. HTML says nothing
/// useful there.
std::string first_words(std::string_view body) {
  constexpr std::size_t kMost = 120;
  body = trim(body);
  if (body.starts_with('<')) return "";
  std::string out;
  for (const char c : body.substr(0, kMost)) {
    if (c == '\n') break;
    out.push_back(c >= ' ' && c <= '~' ? c : '?');
  }
  return out;
}

std::string_view common_advice(int status) {
  if (status == 401) return "name a user in the URL (--password-file) or give --bearer-token-file";
  if (status == 404) return "is the path before /api/v1 right?";
  return "";
}

}  // namespace

std::string refusal(const HttpReply& reply, std::string_view error, std::string_view advice) {
  const std::string said = error.empty() ? first_words(reply.body) : shortened(error);
  if (advice.empty()) advice = common_advice(reply.status);
  std::string who = "the server answers";
  if (!reply.elsewhere.empty()) {
    who = fmt::format("the server redirects to {}, which answers", reply.elsewhere);
    if (reply.status == 401 || reply.status == 403) {
      advice = "users, passwords and tokens are not sent there; give that URL if it is the right one";
    }
  }
  return fmt::format("{} {}{}{}{}{}", who, reply.status, said.empty() ? "" : ": ", said,
                     advice.empty() ? "" : "; ", advice);
}

}  // namespace laggard::net
