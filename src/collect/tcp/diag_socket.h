#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/error.h"
#include "collect/tcp/inet_diag.h"
#include "collect/tcp/socket_filter.h"

struct mnl_socket;

namespace laggard::collect {

/// Where connections come from: the kernel, or a test.
class ConnectionSource {
 public:
  virtual ~ConnectionSource() = default;
  /// Calls `each` for every connection that matches; some may come twice.
  [[nodiscard]] virtual Status dump(const std::function<void(const TcpSample&)>& each) = 0;
};

/// The established TCP connections of this network namespace, asked over netlink (sock_diag). Any user may.
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
