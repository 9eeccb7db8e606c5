#include "detect/syscalls/stopped_servers.h"

#include <utility>

namespace laggard::detect {

void StoppedServers::wait(WallTime at, Waiting call) {
  if (waiting_.size() < kMostWaiting) waiting_.emplace(at, std::move(call));
}

void StoppedServers::add_failure(Waiting call) {
  const WallTime at = call.call.ended;
  wait(at, std::move(call));
}

void StoppedServers::add_hang(Waiting call) {
  // Microseconds apart are the same: a begin that is reckoned from two looks at the clocks.
  constexpr Duration kSame = std::chrono::milliseconds(5);
  const auto near = told_hangs_.lower_bound({call.call.begun - kSame, 0});
  for (auto known = near; known != told_hangs_.end() && known->first <= call.call.begun + kSame; ++known) {
    if (known->second == call.lwp) return;
  }
  constexpr std::size_t kMostTold = 10'000;
  if (told_hangs_.size() >= kMostTold) told_hangs_.erase(told_hangs_.begin());
  told_hangs_.insert({call.call.begun, call.lwp});
  const WallTime at = call.call.begun + kHangs;
  wait(at, std::move(call));
}

void StoppedServers::look(WallTime until, std::vector<Stopped>& out) {
  for (auto at = waiting_.begin(); at != waiting_.end() && at->first <= until;) {
    if (at->second.is_presumed && heard_ < at->first) {
      ++at;
      continue;
    }
    for (ServerTalk::Connection& connection : talk_.odd_ones(at->first, kOwes)) {
      out.push_back({at->second, std::move(connection)});
    }
    at = waiting_.erase(at);
  }
}

}  // namespace laggard::detect
