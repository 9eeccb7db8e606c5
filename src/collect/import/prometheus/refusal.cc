#include "collect/import/prometheus/refusal.h"

#include <fmt/format.h>

#include "base/text.h"

namespace laggard::collect {

namespace {

/// A server's sentence without its middle, where it repeats the whole query.
std::string shortened(std::string_view sentence) {
  constexpr std::size_t kBegin = 120;
  constexpr std::size_t kEnd = 160;
  if (sentence.size() <= kBegin + kEnd) return std::string(sentence);
  return std::string(sentence.substr(0, kBegin)) + " … " +
         std::string(sentence.substr(sentence.size() - kEnd));
}

/// Of a page that is no answer of the API, what a terminal can show of its first line. A page of HTML says
/// nothing there.
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

std::string_view advice(int status) {
  switch (status) {
    case 401:
      return "; name a user (http://user:password@…) or give --bearer-token-file";
    case 403:
      return "; these credentials may not read there";
    case 404:
      return "; is the path before /api/v1 right?";
    case 422:
      return "; a --match that leaves fewer series may help";
    default:
      return "";
  }
}

}  // namespace

std::string refusal(const HttpReply& reply, std::string_view error) {
  const std::string said = error.empty() ? first_words(reply.body) : shortened(error);
  return fmt::format("the server answers {}{}{}{}", reply.status, said.empty() ? "" : ": ", said,
                     advice(reply.status));
}

}  // namespace laggard::collect
