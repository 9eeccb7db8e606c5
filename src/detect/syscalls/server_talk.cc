#include "detect/syscalls/server_talk.h"

#include <algorithm>
#include <set>

namespace laggard::detect {

void ServerTalk::note(const std::string& connection, std::string_view server, LastTalk last,
                      std::string_view call, WallTime at) {
  auto found = connections_.find(connection);
  const bool is_new = found == connections_.end();
  if (is_new) {
    if (connections_.size() >= kMostConnections) return;
    found = connections_.try_emplace(connection).first;
    found->second.server = server;
  }
  Connection& known = found->second;
  if (!is_new && at < known.at) return;
  // A server that answers again is back, and what was closed before tells nothing any more.
  if (last == LastTalk::kAnswered && (is_new || known.last != LastTalk::kAnswered)) {
    std::erase_if(connections_, [&](const auto& entry) {
      return entry.second.server == server && entry.second.last == LastTalk::kClosed &&
             entry.first != connection;
    });
  }
  const bool still_asks = !is_new && last == LastTalk::kAsked && known.last == LastTalk::kAsked;
  if (!still_asks) known.since = at;
  known.at = at;
  known.last = last;
  known.call = call;
}

/// To which no connection is left: the one that was closed last.
ServerTalk::OfServers ServerTalk::gone() const {
  OfServers gone;
  for (const auto& [name, connection] : connections_) {
    if (connection.last != LastTalk::kClosed) continue;
    const auto [known, is_new] = gone.try_emplace(connection.server, connection);
    if (!is_new && connection.at > known->second.at) known->second = connection;
  }
  for (const auto& [name, connection] : connections_) {
    const auto known = gone.find(connection.server);
    if (known == gone.end() || connection.last != LastTalk::kAnswered) continue;
    if (connection.at > known->second.at) gone.erase(known);
  }
  return gone;
}

/// Which have owed an answer for that long: the one that has waited longest.
ServerTalk::OfServers ServerTalk::owing(WallTime at, Duration patience) const {
  OfServers owing;
  for (const auto& [name, connection] : connections_) {
    if (connection.last != LastTalk::kAsked || at - connection.since < patience) continue;
    const auto [known, is_new] = owing.try_emplace(connection.server, connection);
    if (!is_new && connection.since < known->second.since) known->second = connection;
  }
  return owing;
}

std::vector<ServerTalk::Connection> ServerTalk::odd_ones(WallTime at, Duration patience) const {
  OfServers odd = gone();
  if (odd.empty()) odd = owing(at, patience);
  if (2 * odd.size() >= servers()) return {};
  std::vector<Connection> all;
  all.reserve(odd.size());
  for (const auto& [server, connection] : odd) all.push_back(connection);
  return all;
}

std::size_t ServerTalk::servers() const {
  std::set<std::string_view> names;
  for (const auto& [name, connection] : connections_) names.insert(connection.server);
  return names.size();
}

}  // namespace laggard::detect
