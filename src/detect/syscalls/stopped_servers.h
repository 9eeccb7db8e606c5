#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "detect/syscalls/error_propagation.h"
#include "detect/syscalls/server_talk.h"

namespace laggard::detect {

/// Servers that crashed or hang, as one client sees it (S §7): an application's call fails because a
/// connection is gone (is_of_connection), or does not return for kHangs; of the servers that the client's
/// daemon talks to the one is to blame whose last call differs from the others' (ServerTalk).
class StoppedServers {
 public:
  static constexpr Duration kHangs = std::chrono::seconds(30);  ///< S §7.
  /// What a server owes for less, it may be about to give; S looks at the last call alone.
  static constexpr Duration kOwes = std::chrono::seconds(15);
  /// Calls that wait to be looked at.
  static constexpr std::size_t kMostWaiting = 10'000;

  /// A call of an application: what failed, or has not returned by then, or had not for kHangs.
  struct Waiting {
    FailedCall call;  ///< Without an error: it hangs.
    std::int64_t lwp = 0;
    /// It was not seen to return, which means something if the client was recorded on.
    bool is_presumed = false;
  };
  struct Stopped {
    Waiting application;
    ServerTalk::Connection connection;
    [[nodiscard]] bool has_crashed() const { return connection.last == LastTalk::kClosed; }
  };

  [[nodiscard]] ServerTalk& talk() { return talk_; }
  [[nodiscard]] const ServerTalk& talk() const { return talk_; }

  /// An application's call failed with an error of connections.
  void add_failure(Waiting call);
  /// It began at `call.begun` and did not return for kHangs.
  void add_hang(Waiting call);
  /// The client was recorded until then.
  void hear(WallTime at) { heard_ = std::max(heard_, at); }
  /// Looks at what was to be looked at before `until`, when all that completed by then has been noted.
  void look(WallTime until, std::vector<Stopped>& out);
  /// When something is to be looked at next; the largest time when nothing is.
  [[nodiscard]] WallTime next() const { return waiting_.empty() ? WallTime::max() : waiting_.begin()->first; }

 private:
  void wait(WallTime at, Waiting call);

  ServerTalk talk_;
  WallTime heard_ = WallTime::min();
  std::multimap<WallTime, Waiting> waiting_;                ///< By when the servers are to be looked at.
  std::set<std::pair<WallTime, std::int64_t>> told_hangs_;  ///< By begin and thread; a call is told of again.
};

}  // namespace laggard::detect
