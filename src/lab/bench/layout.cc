#include "lab/bench/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace laggard::lab::bench {

namespace {
constexpr std::size_t kFewestServers = 3;
constexpr std::size_t kLongestName = 12;
/// Nothing leaves the bridge, which has no way out: the addresses only have to differ from each other.
constexpr const char* kSubnet = "10.77.0.";
}  // namespace

std::string Layout::server_address(std::size_t i) const { return kSubnet + std::to_string(i); }
std::string Layout::client_address(std::size_t i) const { return kSubnet + std::to_string(100 + i); }
std::string Layout::third_party_address() const { return kSubnet + std::to_string(200); }

std::filesystem::path Layout::state() const { return root / ("laggard-" + name); }
std::filesystem::path Layout::disk(std::size_t server) const {
  return state() / ("disk" + std::to_string(server));
}
std::filesystem::path Layout::brick(std::size_t server) const {
  return state() / ("brick" + std::to_string(server));
}
std::filesystem::path Layout::mount(std::size_t client) const {
  return state() / ("mount" + std::to_string(client));
}

Status check(const Layout& layout) {
  const auto plain = [](unsigned char c) { return std::isalnum(c) != 0; };
  if (layout.name.empty() || layout.name.size() > kLongestName ||
      !std::all_of(layout.name.begin(), layout.name.end(), plain)) {
    return fail(ErrorCode::kBadUse, "--name",
                fmt::format("letters and digits, at most {}; not \"{}\"", kLongestName, layout.name));
  }
  if (layout.servers < kFewestServers || layout.servers > kMostHosts) {
    return fail(ErrorCode::kBadUse, "--servers",
                fmt::format("{} is not between {} and {}", layout.servers, kFewestServers, kMostHosts));
  }
  if (layout.clients < 1 || layout.clients > kMostHosts) {
    return fail(ErrorCode::kBadUse, "--clients",
                fmt::format("{} is not between 1 and {}", layout.clients, kMostHosts));
  }
  return {};
}

}  // namespace laggard::lab::bench
