#include "collect/pings/gluster_layout.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <memory>
#include <set>

#include "base/text.h"
#include "model/address.h"

namespace laggard::collect {

namespace {

constexpr std::string_view kBrick = "<POSIX(";
constexpr std::string_view kLayout = "-layout (";

/// The text between the front and the next `end`, which are both taken off; nothing without an `end`.
std::optional<std::string_view> take_until(std::string_view& text, std::string_view end) {
  const std::size_t at = text.find(end);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view before = text.substr(0, at);
  text.remove_prefix(at + end.size());
  return before;
}

std::vector<GlusterBrick> bricks_in(std::string_view text) {
  std::vector<GlusterBrick> bricks;
  while (take_until(text, kBrick)) {
    const auto path = take_until(text, "):");
    const auto host = path ? take_until(text, ":/") : std::nullopt;
    if (!host) break;
    bricks.push_back({std::string(*host), std::string(*path)});
  }
  return bricks;
}

std::vector<GlusterPathinfo::Range> ranges_in(std::string_view text) {
  std::vector<GlusterPathinfo::Range> ranges;
  while (auto range = take_until(text, ")")) {
    if (range->starts_with(" ")) range->remove_prefix(1);
    if (range->starts_with("(")) range->remove_prefix(1);
    const auto words = split(*range, ' ');
    if (words.size() != 3) break;
    const auto first = to_number<std::uint32_t>(words[1]);
    const auto last = to_number<std::uint32_t>(words[2]);
    if (!first || !last) break;
    // Both are 0 where a subvolume is new to the directory, or was down when that was made.
    if (*last > 0) ranges.push_back({std::string(words[0]), *first, *last});
  }
  return ranges;
}

/// Mixes four words into the two of the hash; encryption of the hash with the words as the key.
class Mixer {
 public:
  using Words = std::array<std::uint32_t, 4>;

  void mix(const Words& key, int rounds) {
    constexpr std::uint32_t kDelta = 0x9E3779B9;
    std::uint32_t sum = 0;
    std::uint32_t a = first_;
    std::uint32_t b = second_;
    for (int round = 0; round < rounds; ++round) {
      sum += kDelta;
      a += ((b << 4U) + key[0]) ^ (b + sum) ^ ((b >> 5U) + key[1]);
      b += ((a << 4U) + key[2]) ^ (a + sum) ^ ((a >> 5U) + key[3]);
    }
    first_ += a;
    second_ += b;
  }
  [[nodiscard]] std::uint32_t hash() const { return first_ ^ second_; }

 private:
  std::uint32_t first_ = 0x9464a485;
  std::uint32_t second_ = 0x542e1a94;
};

/// The next four bytes, the lowest first.
std::uint32_t take_four(std::string_view& bytes) {
  std::uint32_t word = 0;
  for (std::size_t i = 4; i-- > 0;) word = word << 8U | static_cast<unsigned char>(bytes[i]);
  bytes.remove_prefix(4);
  return word;
}

std::set<std::string> addresses_of(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) return {};
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owned(found, &::freeaddrinfo);
  std::set<std::string> addresses;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    if (::getnameinfo(one->ai_addr, one->ai_addrlen, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) ==
        0)
      addresses.emplace(text.data());
  }
  return addresses;
}

}  // namespace

std::optional<GlusterPathinfo> parse_gluster_pathinfo(std::string_view text) {
  GlusterPathinfo info;
  const std::size_t layout = text.rfind(kLayout);
  info.bricks = bricks_in(text.substr(0, layout));
  if (info.bricks.empty()) return std::nullopt;
  if (layout != std::string_view::npos) info.layout = ranges_in(text.substr(layout + kLayout.size() - 1));
  return info;
}

std::uint32_t gluster_hash(std::string_view name) {
  constexpr int kRounds = 6;
  constexpr int kLastRounds = 10;
  auto pad = static_cast<std::uint32_t>(name.size());
  pad |= pad << 8U;
  pad |= pad << 16U;
  Mixer mixer;
  Mixer::Words words{};
  constexpr std::size_t kBlock = 16;
  while (name.size() >= kBlock) {
    for (std::uint32_t& word : words) word = take_four(name);
    mixer.mix(words, kRounds);
  }
  for (std::uint32_t& word : words) {
    if (name.size() >= 4) {
      word = take_four(name);
      continue;
    }
    word = pad;
    for (const char c : name) word = word << 8U | static_cast<unsigned char>(c);
    name = {};
  }
  mixer.mix(words, kLastRounds);
  return mixer.hash();
}

bool GlusterPlacement::is_named_for(std::string_view name) const {
  const std::uint32_t hash = gluster_hash(name);
  return std::ranges::any_of(
      ranges, [&](const GlusterPathinfo::Range& range) { return range.first <= hash && hash <= range.last; });
}

bool GlusterPlacement::holds(const GlusterPathinfo& file) const {
  return std::ranges::all_of(file.bricks, [&](const GlusterBrick& brick) {
    return std::ranges::find(bricks, brick) != bricks.end();
  });
}

GlusterPlacement place_on(const GlusterSubvolume& target, const GlusterPathinfo& directory,
                          std::span<const GlusterSubvolume> graph, const SameHost& same_host) {
  GlusterPlacement placement;
  std::ranges::copy_if(directory.layout, std::back_inserter(placement.ranges),
                       [&](const GlusterPathinfo::Range& range) { return range.subvolume == target.name; });
  const auto is_unique = [&](const std::string& path) {
    std::ptrdiff_t bricks = 0;
    for (const GlusterSubvolume& subvolume : graph)
      bricks += std::ranges::count(subvolume.bricks, path, &GlusterBrick::path);
    return bricks == 1;
  };
  const auto is_its = [&](const GlusterBrick& brick) {
    return std::ranges::any_of(target.bricks, [&](const GlusterBrick& own) {
      return own.path == brick.path && (is_unique(own.path) || same_host(own.host, brick.host));
    });
  };
  std::ranges::copy_if(directory.bricks, std::back_inserter(placement.bricks), is_its);
  return placement;
}

bool is_same_host(const std::string& one, const std::string& other) {
  if (may_be_same_host(one, other)) return true;
  const std::set<std::string> addresses = addresses_of(one);
  return std::ranges::any_of(addresses_of(other),
                             [&](const std::string& address) { return addresses.contains(address); });
}

}  // namespace laggard::collect
