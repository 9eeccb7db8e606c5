#pragma once

#include <netinet/in.h>

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "lab/striped/message.h"
#include "lab/striped/stripes.h"

namespace laggard::lab::striped {

/// A request to one of the servers, and its answer.
struct Exchange {
  std::size_t server = 0;
  Header request;
  std::span<const char> body{};  ///< Of the request; outlives the exchange.
  std::string answer_body{};
  Header answer{};
};

/// The connections to all servers. May be used by several threads at a time; each request has a connection of
/// its own while it lasts.
class Client {
 public:
  explicit Client(std::vector<sockaddr_in> servers) : servers_(std::move(servers)), idle_(servers_.size()) {}

  [[nodiscard]] std::size_t servers() const { return servers_.size(); }

  /// Sends all requests side by side and waits for all answers, however long that takes. A server that cannot
  /// be reached, or that closes the connection, answers ECONNREFUSED, as PVFS's client says.
  void exchange(std::span<Exchange> exchanges);

 private:
  struct Flow;
  [[nodiscard]] Fd connect(std::size_t server) const;
  /// \param fresh  not one that was idle
  [[nodiscard]] Fd take(std::size_t server, bool fresh);
  void give_back(std::size_t server, Fd socket);
  void begin(Flow& flow, bool fresh);
  void end(Flow& flow);
  void fail(Flow& flow);
  void advance(Flow& flow);

  std::vector<sockaddr_in> servers_;
  std::mutex mutex_;
  std::vector<std::vector<Fd>> idle_;
};

}  // namespace laggard::lab::striped
