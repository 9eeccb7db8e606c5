#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/id.h"
#include "model/address.h"
#include "model/counter.h"

namespace laggard {

using ComponentId = Id<struct ComponentTag>;

/// One device of one host, as a source names it.
struct SeriesKey {
  std::string host;
  DeviceKind kind = DeviceKind::kDisk;
  std::string device;
  auto operator<=>(const SeriesKey&) const = default;
};

/// Finds the component that a recorded series belongs to.
///
/// Disks and interfaces are looked up by name. Sockets come and go, so theirs is a rule
/// (docs/methods/metrics.md): a socket of a server towards a client belongs to that server's `tcp-out`, a
/// socket of a client towards a server to that server's `tcp-in`. Sockets between servers count as `tcp-out`
/// only where there are no clients; loopback never counts. An address that belongs to no known host is a
/// client's, unless the system file lists the addresses of the clients.
class SeriesResolver {
 public:
  [[nodiscard]] std::optional<ComponentId> find(std::string_view host, DeviceKind kind,
                                                std::string_view device) const;

  /// The end of a connection, as far as peer groups care.
  enum class Party : std::uint8_t { kServer, kClient, kUnknown };
  struct Endpoint {
    Party party = Party::kUnknown;
    std::uint32_t host = 0;  ///< Index into the hosts added; meaningless for unknown ones.
  };

  /// Where a socket belongs, before there are components: the server's index and the direction.
  struct SocketPlace {
    std::uint32_t server = 0;
    bool from_client = false;
  };
  [[nodiscard]] std::optional<SocketPlace> place(std::string_view host, std::string_view socket) const;

  // Building; done by make_groups.
  std::uint32_t add_host(const std::string& name, Party party);
  /// The first claim wins; a claim of a second host is returned as its index and forgets the address, because
  /// nobody can tell whose it is.
  std::optional<std::uint32_t> add_address(const std::string& address, std::uint32_t host);
  void add_device(const SeriesKey& key, ComponentId component);
  void add_sockets(SocketPlace place, ComponentId component);
  void count_unknown_as_clients(bool yes) { unknown_are_clients_ = yes; }
  void count_server_peers(bool yes) { server_peers_count_ = yes; }
  [[nodiscard]] Endpoint endpoint(const std::string& address) const;
  [[nodiscard]] std::optional<std::uint32_t> host(const std::string& name) const;
  [[nodiscard]] const std::string& host_name(std::uint32_t index) const { return hosts_[index].name; }
  [[nodiscard]] bool has_clients() const;
  /// Addresses that are this host's alone, in no order.
  [[nodiscard]] std::vector<std::string> addresses_of(std::uint32_t host) const;

 private:
  struct HostEntry {
    std::string name;
    Party party = Party::kUnknown;
    std::optional<ComponentId> out;
    std::optional<ComponentId> in;
  };
  static constexpr std::uint32_t kAmbiguous = UINT32_MAX;

  std::vector<HostEntry> hosts_;
  std::unordered_map<std::string, std::uint32_t> host_index_;
  std::unordered_map<std::string, std::uint32_t> address_host_;
  std::unordered_map<std::string, ComponentId> devices_;
  bool unknown_are_clients_ = true;
  bool server_peers_count_ = false;
};

}  // namespace laggard
