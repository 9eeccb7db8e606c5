#include "model/transfer_rules.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/text.h"
#include "model/address.h"
#include "model/recorded_call.h"

namespace laggard {

namespace {

/// No server keeps what it serves there. `/memfd:` and `/SYSV` are names of memory.
constexpr std::array<std::string_view, 19> kSystem{
    "/proc/",      "/sys/", "/dev/",  "/etc/",   "/usr/",     "/lib",      "/bin/",
    "/sbin/",      "/opt/", "/run/",  "/boot/",  "/var/log/", "/var/run/", "/var/tmp/",
    "/var/cache/", "/tmp/", "/snap/", "/memfd:", "/SYSV"};
constexpr std::array<std::string_view, 9> kBlockDevices{"/dev/sd",      "/dev/nvme", "/dev/dm-",
                                                        "/dev/mapper/", "/dev/md",   "/dev/vd",
                                                        "/dev/xvd",     "/dev/loop", "/dev/disk/"};

bool begins_with_one_of(std::string_view text, std::span<const std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [&](std::string_view one) { return text.starts_with(one); });
}

std::optional<std::uint16_t> port_of(std::string_view end) {
  const std::size_t colon = end.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  return to_number<std::uint16_t>(end.substr(colon + 1));
}

}  // namespace

bool TransferRules::is_storage(std::string_view object) const {
  if (!object.starts_with('/')) return false;
  if (storage.empty()) {
    return begins_with_one_of(object, kBlockDevices) || !begins_with_one_of(object, kSystem);
  }
  return std::ranges::any_of(storage,
                             [&](const std::string& pattern) { return glob_match(pattern, object); });
}

std::optional<std::string> TransferRules::request_peers(std::string_view object) const {
  const auto tcp = tcp_object(object);
  if (!tcp) return std::nullopt;
  const SocketEnds& ends = tcp->addresses;
  if (is_host_local(ends.local) || is_host_local(ends.peer) || ends.local == ends.peer) return std::nullopt;
  const auto is_listed = [&](std::optional<std::uint16_t> port) {
    return port && std::ranges::any_of(ports, [&](const Ports& range) {
             return *port >= range.first && *port <= range.last;
           });
  };
  if (!ports.empty() && !is_listed(port_of(tcp->local)) && !is_listed(port_of(tcp->peer)))
    return std::nullopt;
  const auto end = [](const std::string& address) {
    return (address.find(':') == std::string::npos ? address : '[' + address + ']') + ":0";
  };
  return end(ends.local) + '>' + end(ends.peer);
}

}  // namespace laggard
