#include "detect/pings/ping_paths.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace laggard::detect {

namespace {

using Sharing = stats::PathHop::Sharing;

bool is_server(PartKind kind) { return kind == PartKind::kServer || kind == PartKind::kMetadataServer; }

}  // namespace

/// One path, hop by hop.
class PingPaths::Builder {
 public:
  Builder(const PingPaths& paths, const std::string& client)
      : paths_(paths), grouping_(paths.grouping_), client_(client) {}

  void add(const Part& part) {
    const std::optional<PartId> id = grouping_.parts.find(part.kind, part.name);
    if (!id) {
      add_one(part);
      return;
    }
    for (const PartId need : grouping_.parts.needs(*id)) add_with_pairs(need);
    const auto servers = paths_.servers_.find(*id);
    if (servers != paths_.servers_.end()) add_standby(servers->second);
  }

  /// Of the target's set, or all where it is in none.
  void add_metadata_servers(const std::string& target) {
    const auto set_of = [&](const std::string& name) {
      const auto found = grouping_.sets.find(name);
      return found == grouping_.sets.end() ? std::string() : found->second;
    };
    const std::string set = set_of(target);
    std::vector<Part> servers;
    for (const Part& server : paths_.metadata_) {
      if (!set.empty() && set_of(server.name) == set) servers.push_back(server);
    }
    if (servers.empty()) servers = paths_.metadata_;
    if (servers.empty()) return;
    add_routes(servers.front().name);
    add_shared(std::move(servers), Sharing::kBalanced);
  }

  [[nodiscard]] std::vector<PingHop> take() { return std::move(hops_); }

 private:
  void add_one(const Part& part) {
    if (!passed_.insert({part.kind, part.name}).second) return;
    hops_.push_back({{part}, Sharing::kOne});
    if (is_server(part.kind)) add_routes(part.name);
  }

  void add_shared(std::vector<Part> parts, Sharing sharing) {
    std::erase_if(parts, [&](const Part& part) { return !passed_.insert({part.kind, part.name}).second; });
    if (parts.empty()) return;
    if (parts.size() == 1) sharing = Sharing::kOne;
    hops_.push_back({std::move(parts), sharing});
  }

  void add_with_pairs(PartId id) {
    std::vector<Part> alternatives{grouping_.parts[id]};
    for (const PartGraph::Edge& edge : grouping_.parts.edges_of(id)) {
      if (edge.kind == EdgeKind::kPairsWith) alternatives.push_back(grouping_.parts[edge.to]);
    }
    add_standby(alternatives);
  }

  void add_standby(const std::vector<Part>& alternatives) {
    const Part& first = alternatives.front();
    if (passed_.contains({first.kind, first.name})) return;
    add_one(first);
    if (alternatives.size() == 1) return;
    for (const Part& part : alternatives) passed_.insert({part.kind, part.name});
    hops_.push_back({alternatives, Sharing::kStandby});
  }

  void add_routes(const std::string& server) {
    const auto routes = paths_.routes_.find(server);
    if (routes == paths_.routes_.end()) return;
    for (const std::size_t r : routes->second) {
      const ClientRoute& route = grouping_.routes[r];
      if (route.clients.empty() || std::ranges::binary_search(route.clients, client_)) {
        add_shared(route.over, Sharing::kBalanced);
      }
    }
  }

  const PingPaths& paths_;
  const Grouping& grouping_;
  const std::string& client_;
  std::vector<PingHop> hops_;
  std::set<std::pair<PartKind, std::string>> passed_;
};

PingPaths::PingPaths(const Grouping& grouping) : grouping_(grouping), servers_(grouping.servers_of_luns()) {
  const PartGraph& parts = grouping.parts;
  for (std::uint32_t p = 0; p < parts.size(); ++p) {
    const Part& part = parts[PartId{p}];
    if (part.kind == PartKind::kMetadataServer) metadata_.push_back(part);
  }
  for (std::size_t r = 0; r < grouping.routes.size(); ++r) {
    for (const std::string& server : grouping.routes[r].servers) routes_[server].push_back(r);
  }
}

std::vector<PingHop> PingPaths::of(const PingPair& pair) const {
  const std::string& target = pair.target;
  Builder path(*this, pair.client);
  const std::optional<Part> known = grouping_.part_called(pair.client, target);
  if (const std::size_t slash = target.find('/'); !known && slash != std::string::npos) {
    path.add({PartKind::kDisk, target});
    path.add({PartKind::kServer, target.substr(0, slash)});
  } else {
    path.add(known.value_or(Part{PartKind::kTarget, target}));
  }
  const bool is_metadata = known && known->kind == PartKind::kMetadataServer;
  if (pair.names && !is_metadata) path.add_metadata_servers(target);
  path.add(grouping_.host_part(pair.client));
  return path.take();
}

}  // namespace laggard::detect
