#include "detect/syscalls/error_propagation.h"

#include <algorithm>
#include <utility>

namespace laggard::detect {

void ErrorPropagation::note_server(const std::string& host, WallTime until) {
  Server& server = servers_[host];
  server.seen = std::max(server.seen, until);
}

void ErrorPropagation::add_server_failure(FailedCall failure) {
  const auto [last, is_new] = servers_[failure.host].errors.try_emplace(failure.error, failure.begun);
  if (!is_new && failure.begun < last->second + kOnce && failure.begun >= last->second) return;
  last->second = std::max(last->second, failure.begun);
  auto& of_error = of_servers_[failure.error];
  if (of_error.size() >= kMostFailures) of_error.erase(of_error.begin());
  const WallTime begun = failure.begun;
  of_error.emplace(begun, std::move(failure));
}

void ErrorPropagation::add_client_failure(FailedCall failure) {
  if (of_clients_.size() >= kMostFailures) of_clients_.pop_front();
  of_clients_.push_back(std::move(failure));
}

bool ErrorPropagation::is_normal(std::string_view error, const std::string& host, WallTime at) const {
  std::size_t others = 0;
  std::size_t with_it = 0;
  for (const auto& [name, server] : servers_) {
    if (name == host || server.seen < at - kKept) continue;
    ++others;
    const auto found = server.errors.find(error);
    if (found != server.errors.end() && std::chrono::abs(found->second - at) <= kKept) ++with_it;
  }
  return others >= 2 && 2 * with_it >= others;
}

void ErrorPropagation::match_one(const FailedCall& client, std::vector<Propagated>& out) const {
  const auto of_error = of_servers_.find(client.error);
  if (of_error == of_servers_.end()) return;
  const auto distance = [&](const FailedCall& server) {
    return std::chrono::abs(server.begun - client.begun);
  };
  std::map<std::string_view, const FailedCall*> nearest;  // By server.
  const auto end = of_error->second.upper_bound(client.ended + kWindow);
  for (auto at = of_error->second.lower_bound(client.begun - kWindow); at != end; ++at) {
    const FailedCall& server = at->second;
    const FailedCall*& known = nearest.try_emplace(server.host, &server).first->second;
    if (distance(server) < distance(*known)) known = &server;
  }
  for (const auto& [host, server] : nearest) {
    if (!is_normal(client.error, server->host, server->begun)) out.push_back({*server, client});
  }
}

std::vector<ErrorPropagation::Propagated> ErrorPropagation::match(WallTime until) {
  std::vector<Propagated> out;
  std::deque<FailedCall> waiting;
  WallTime needed = until;
  for (FailedCall& client : of_clients_) {
    if (client.ended + kWindow < until) {
      match_one(client, out);
    } else {
      needed = std::min(needed, client.begun);
      waiting.push_back(std::move(client));
    }
  }
  of_clients_ = std::move(waiting);
  // A client's call that is not known yet may have begun long ago: what hangs is another case.
  constexpr Duration kLongest = std::chrono::minutes(1);
  const WallTime oldest = std::min(needed, until - kLongest) - kWindow;
  for (auto& [error, failures] : of_servers_) failures.erase(failures.begin(), failures.lower_bound(oldest));
  std::erase_if(of_servers_, [](const auto& entry) { return entry.second.empty(); });
  for (auto& [name, server] : servers_) {
    std::erase_if(server.errors, [&](const auto& entry) { return entry.second < until - 2 * kKept; });
  }
  std::erase_if(servers_, [&](const auto& entry) { return entry.second.seen < until - 2 * kKept; });
  return out;
}

}  // namespace laggard::detect
