#include "net/server_url.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <optional>

#include "base/text.h"

namespace laggard::net {

namespace {

constexpr std::size_t kLongestUrl = 2000;

tl::unexpected<Error> refused(std::string what) {
  return fail(ErrorCode::kBadUse, "", "the URL of the server " + std::move(what));
}

/// Takes `http://` or `https://` off the front, in upper or lower case.
std::string_view take_scheme(std::string_view& text) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
    const std::string_view begin = text.substr(0, scheme.size());
    if (!std::equal(begin.begin(), begin.end(), scheme.begin(), scheme.end(), same)) continue;
    text.remove_prefix(scheme.size());
    return scheme;
  }
  return {};
}

/// `%2F` to `/`. Nothing when a percent sign is not followed by two digits, or stands for a control
/// character.
std::optional<std::string> without_percents(std::string_view text) {
  constexpr int kHex = 16;
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    if (c == '%') {
      const std::string_view digits = text.substr(at + 1, 2);
      unsigned value = 0;
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, kHex);
      if (digits.size() != 2 || error != std::errc{} || end != digits.data() + 2) return std::nullopt;
      c = static_cast<char>(value);
      at += 2;
    }
    if (is_control(c)) return std::nullopt;
    out.push_back(c);
  }
  return out;
}

/// `::1`, and with a zone `fe80::1%25eth0`.
bool is_ipv6(std::string_view text) {
  const std::size_t percent = std::min(text.find('%'), text.size());
  const std::string_view zone = text.substr(percent);
  const bool zone_fine =
      zone.empty() ||
      (zone.starts_with("%25") && zone.size() > 3 && std::all_of(zone.begin() + 3, zone.end(), [](char c) {
         return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '_';
       }));
  std::array<std::uint8_t, sizeof(in6_addr)> address{};
  return zone_fine &&
         ::inet_pton(AF_INET6, std::string(text.substr(0, percent)).c_str(), address.data()) == 1;
}

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (std::isalnum(static_cast<unsigned char>(c)) != 0 && c > 0) || c == '.' || c == '-' || c == '_';
  });
}

bool is_port(std::string_view text) {
  constexpr unsigned kMost = 65535;
  constexpr std::size_t kDigits = 5;
  const auto port = to_number<unsigned>(text);
  return port && text.size() <= kDigits && *port > 0 && *port <= kMost;
}

/// `host`, `host:9090`, `[::1]:9090`.
Status check_place(std::string_view place) {
  const bool bracket = place.starts_with('[');
  const std::size_t colon =
      bracket ? place.find("]:") + (place.find("]:") == std::string_view::npos ? 0 : 1) : place.find(':');
  std::string_view host = place.substr(0, std::min(colon, place.size()));
  if (host.empty()) return refused("has no host; write http://host:9090");
  if (colon < place.size() && !is_port(place.substr(colon + 1))) {
    return refused("has a port that is no number from 1 to 65535");
  }
  if (!bracket) {
    if (!is_name(host)) return refused("has a host that is no name or address; write http://host:9090");
    return {};
  }
  if (!host.ends_with(']') || !is_ipv6(host.substr(1, host.size() - 2))) {
    return refused("has brackets without an IPv6 address in them; write http://[::1]:9090");
  }
  return {};
}

Status read_user(std::string_view text, ServerUrl& url) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const auto user = without_percents(text.substr(0, colon));
  const auto password = without_percents(text.substr(std::min(colon + 1, text.size())));
  if (!user || !password) {
    return refused(
        "has a % in its user or password that does not begin two hexadecimal digits; write % as %25");
  }
  if (user->empty()) return refused("has an @ without a user before it");
  if (user->find(':') != std::string::npos)
    return refused("has a user with a colon, which HTTP does not know");
  url.user = *user;
  url.password = *password;
  return {};
}

}  // namespace

Result<ServerUrl> parse_server_url(std::string_view text) {
  if (text.size() > kLongestUrl) return refused("is longer than 2,000 characters");
  const auto odd = [](char c) {
    return is_control(c) || c == ' ' || c == '\\' || static_cast<signed char>(c) < 0;
  };
  if (std::any_of(text.begin(), text.end(), odd)) {
    return refused(
        "has a space, a backslash, a control character or a letter beyond ASCII; write those of a "
        "password with percent signs, such as %20");
  }
  ServerUrl url;
  const std::string_view scheme = take_scheme(text);
  if (scheme.empty()) return refused("does not begin with http:// or https://; write http://host:9090");
  const std::size_t slash = std::min(text.find('/'), text.size());
  std::string_view authority = text.substr(0, slash);
  url.prefix = text.substr(slash);
  // Read literally, `http://me:pa/ss@host` names the host `me` and would show half of the password.
  if (url.prefix.find('@') != std::string::npos || text.find_first_of("?#") != std::string_view::npos) {
    return refused(
        "has more than a path after its host; in a password write / as %2F, ? as %3F, # as %23, @ as %40");
  }
  while (url.prefix.ends_with('/')) url.prefix.pop_back();
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    if (Status read = read_user(authority.substr(0, at), url); !read) return forward(read);
    authority.remove_prefix(at + 1);
  }
  if (Status fine = check_place(authority); !fine) return forward(fine);
  url.origin.assign(scheme).append(authority);
  return url;
}

}  // namespace laggard::net
