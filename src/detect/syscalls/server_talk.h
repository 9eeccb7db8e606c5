#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace laggard::detect {

/// What a client's daemon did last on one of its connections to a server.
enum class LastTalk : std::uint8_t {
  kAnswered,  ///< It read.
  kAsked,     ///< It wrote, and has read nothing since.
  kClosed,    ///< It is gone: a read met the end, either was refused, or the client closed it.
};

/// What the calls of a client on its connections say of the servers: whether each has answered the most
/// recent request (S §7).
class ServerTalk {
 public:
  static constexpr std::size_t kMostConnections = 4096;

  struct Connection {
    std::string server;
    LastTalk last = LastTalk::kAnswered;
    std::string call;  ///< The last one that completed.
    WallTime at;       ///< When it did.
    WallTime since;    ///< Of kAsked: since the first write that was not answered; else the same as `at`.
  };

  /// A call that completed at `at`; one that completed before what is known of its connection is passed over.
  /// Connections beyond kMostConnections are not followed.
  void note(const std::string& connection, std::string_view server, LastTalk last, std::string_view call,
            WallTime at);
  /// Servers that differ from the others (S §7), each with the connection that says so: those to which no
  /// connection is left, or else those that have owed an answer for `patience` at least. Nobody when these
  /// are half of the servers or more: then it is not they that differ.
  [[nodiscard]] std::vector<Connection> odd_ones(WallTime at, Duration patience) const;
  /// How many servers there are connections to.
  [[nodiscard]] std::size_t servers() const;

 private:
  /// A connection of each of some servers.
  using OfServers = std::map<std::string_view, Connection>;
  [[nodiscard]] OfServers gone() const;
  [[nodiscard]] OfServers owing(WallTime at, Duration patience) const;

  std::map<std::string, Connection, std::less<>> connections_;
};

}  // namespace laggard::detect
