#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace laggard::detect {

/// A call that failed.
struct FailedCall {
  std::string host;
  std::string call;
  std::string error;   ///< `ENOSPC`
  std::string object;  ///< What it was about; often empty.
  WallTime begun;
  WallTime ended;
};

/// Errors of servers' calls that reach applications on clients (S §7). A server's error is normal when it
/// answers a question (is_answer), or when half of at least two other servers had it within kKept, too: peers
/// stand in for the paper's session of training (**ours**). The same error of an application's call is
/// propagated when the server's call began within kWindow of the application's.
class ErrorPropagation {
 public:
  static constexpr Duration kWindow = std::chrono::milliseconds(1500);  ///< S §7: of 3 s, half each way.
  static constexpr Duration kKept = std::chrono::minutes(15);
  /// Of clients, and of one error of servers, that wait to be matched; of more the oldest leave.
  static constexpr std::size_t kMostFailures = 10'000;
  /// A server's failures with one error in one such stretch are noted once.
  static constexpr Duration kOnce = std::chrono::milliseconds(10);

  struct Propagated {
    FailedCall server;
    FailedCall client;
  };

  /// That calls of a server were recorded until then.
  void note_server(const std::string& host, WallTime until);
  void add_server_failure(FailedCall failure);
  void add_client_failure(FailedCall failure);

  /// Failures of clients that ended so long before `until` that their server's is known if there is one, each
  /// with the nearest failure of each server that had the same error: once.
  [[nodiscard]] std::vector<Propagated> match(WallTime until);

 private:
  struct Server {
    WallTime seen;
    std::map<std::string, WallTime, std::less<>> errors;  ///< When each was returned last.
  };
  [[nodiscard]] bool is_normal(std::string_view error, const std::string& host, WallTime at) const;
  void match_one(const FailedCall& client, std::vector<Propagated>& out) const;

  std::map<std::string, Server> servers_;
  /// By error, in the order in which they began.
  std::map<std::string, std::multimap<WallTime, FailedCall>, std::less<>> of_servers_;
  std::deque<FailedCall> of_clients_;
};

}  // namespace laggard::detect
