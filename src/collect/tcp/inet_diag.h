#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "collect/tcp/socket_filter.h"
#include "model/sample_table.h"

struct mnl_socket;

namespace laggard::collect {

/// The counters of a connection, from the kernel's TCP_INFO (docs/formats/inet_diag.md).
inline constexpr std::size_t kTcpCounters = 13;
[[nodiscard]] std::vector<TableCounter> tcp_counters();

/// One established connection.
struct TcpSample {
  Endpoint local;
  Endpoint peer;
  std::array<std::uint64_t, kTcpCounters> values{};
  std::uint32_t present = 0;  ///< Mask over `values`: older kernels' TCP_INFO is shorter.
};

/// Reads the payload of one answer of inet_diag (docs/formats/inet_diag.md): `struct inet_diag_msg` and its
/// attributes. Nothing when it is cut short, not of IPv4 or IPv6, not established or without TCP_INFO.
[[nodiscard]] std::optional<TcpSample> parse_diag_message(std::span<const std::byte> payload);

enum class DumpState : std::uint8_t {
  kMore,     ///< The kernel has more to send.
  kDone,     ///< The end of the dump.
  kFailed,   ///< The kernel refused: `error` of DumpPart.
  kGarbled,  ///< Not netlink messages.
};

struct DumpPart {
  DumpState state = DumpState::kMore;
  int error = 0;  ///< errno, where state is kFailed.
};

/// Reads what one receive from the netlink socket returned: any number of messages. Those of another
/// `sequence` (an earlier dump that was abandoned) are skipped.
[[nodiscard]] DumpPart parse_dump(std::span<const std::byte> received, std::uint32_t sequence,
                                  const std::function<void(const TcpSample&)>& each);

/// Where connections come from: the kernel, or a test.
class ConnectionSource {
 public:
  virtual ~ConnectionSource() = default;
  /// Calls `each` for every connection that matches, for some perhaps twice.
  [[nodiscard]] virtual Status dump(const std::function<void(const TcpSample&)>& each) = 0;
};

/// Lists the established TCP connections of this network namespace over netlink (sock_diag), which any user
/// may.
class DiagSocket final : public ConnectionSource {
 public:
  [[nodiscard]] static Result<std::unique_ptr<DiagSocket>> open(SocketFilter filter);

  [[nodiscard]] Status dump(const std::function<void(const TcpSample&)>& each) override;

 private:
  DiagSocket(mnl_socket* socket, SocketFilter filter);

  [[nodiscard]] Status ask(std::uint8_t family);
  [[nodiscard]] Result<DumpPart> receive(const std::function<void(const TcpSample&)>& each);
  [[nodiscard]] Status dump_family(std::uint8_t family, const std::function<void(const TcpSample&)>& each);

  std::unique_ptr<mnl_socket, int (*)(mnl_socket*)> socket_;
  SocketFilter filter_;
  std::vector<std::byte> bytecode_;
  std::vector<std::byte> buffer_;
  std::uint32_t sequence_ = 0;
};

}  // namespace laggard::collect
