#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "base/error.h"
#include "base/file.h"
#include "collect/procfs/link_state.h"

struct mnl_socket;

namespace laggard::collect {

/// What a message of the kernel about one link says (RTM_NEWLINK, docs/formats/net_dev.md): carrier_changes
/// and rx_crc_errors. \param payload  of the netlink message: `struct ifinfomsg` and its attributes.
[[nodiscard]] LinkState parse_link_message(std::span<const std::byte> payload);

/// Asks the kernel about interfaces of the recorder's own network namespace, whichever one /sys belongs to:
/// speed and duplex by ethtool's ioctl, the rest over netlink. Any user may.
class OwnLinks {
 public:
  [[nodiscard]] static Result<OwnLinks> open();

  /// What is not known of an interface is missing.
  [[nodiscard]] LinkState read(const std::string& name);

 private:
  OwnLinks(mnl_socket* route, Fd control);
  void ask_netlink(unsigned index, LinkState& state);
  void ask_ethtool(const std::string& name, LinkState& state) const;

  std::unique_ptr<mnl_socket, int (*)(mnl_socket*)> route_;
  Fd control_;
  std::uint32_t sequence_ = 0;
};

}  // namespace laggard::collect
