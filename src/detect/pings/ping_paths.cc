#include "detect/pings/ping_paths.h"

#include <algorithm>
#include <optional>
#include <set>

namespace laggard::detect {

namespace {

using Sharing = stats::PathHop::Sharing;

class PathBuilder {
 public:
  explicit PathBuilder(const PartGraph& parts) : parts_(parts) {}

  void add(std::vector<Part> parts, Sharing sharing) {
    std::erase_if(parts, [&](const Part& part) { return !passed_.insert({part.kind, part.name}).second; });
    if (parts.empty()) return;
    hops_.push_back({std::move(parts), sharing});
    if (hops_.back().parts.size() == 1) hops_.back().sharing = Sharing::kOne;
  }

  /// A part, what stands by for it, and what it needs.
  void add_with_needs(PartId own) {
    for (const PartId id : parts_.needs(own)) {
      std::vector<Part> alternatives{parts_[id]};
      for (const PartGraph::Edge& edge : parts_.edges_of(id)) {
        if (edge.kind == EdgeKind::kPairsWith) alternatives.push_back(parts_[edge.to]);
      }
      add(std::move(alternatives), Sharing::kStandby);
    }
  }

  /// The servers through which a LUN is reached, in the order of its attachments.
  void add_servers_of(PartId lun) {
    std::vector<Part> servers;
    for (std::uint32_t p = 0; p < parts_.size(); ++p) {
      if (parts_[PartId{p}].kind != PartKind::kAttachment) continue;
      const bool is_its = std::ranges::any_of(parts_.edges_of(PartId{p}), [&](const PartGraph::Edge& edge) {
        return edge.kind == EdgeKind::kRunsThrough && edge.to == lun;
      });
      const Part* server = is_its ? parts_.nearest(PartId{p}, PartKind::kServer) : nullptr;
      if (server != nullptr) servers.push_back(*server);
    }
    add(std::move(servers), Sharing::kStandby);
  }

  void add_metadata_servers() {
    std::vector<Part> servers;
    for (std::uint32_t p = 0; p < parts_.size(); ++p) {
      const Part& part = parts_[PartId{p}];
      if (part.kind == PartKind::kMetadataServer) servers.push_back(part);
    }
    add(std::move(servers), Sharing::kBalanced);
  }

  [[nodiscard]] std::vector<PingHop> take() { return std::move(hops_); }

 private:
  const PartGraph& parts_;
  std::vector<PingHop> hops_;
  std::set<std::pair<PartKind, std::string>> passed_;
};

}  // namespace

std::vector<PingHop> ping_hops(const Grouping& grouping, const std::string& client,
                               const std::string& target) {
  const PartGraph& parts = grouping.parts;
  PathBuilder path(parts);
  const std::optional<Part> known = grouping.part_called(client, target);
  const auto add = [&](const Part& part) {
    const std::optional<PartId> id = parts.find(part.kind, part.name);
    if (!id) {
      path.add({part}, Sharing::kOne);
      return;
    }
    path.add_with_needs(*id);
    if (part.kind == PartKind::kLun) path.add_servers_of(*id);
  };
  if (const std::size_t slash = target.find('/'); !known && slash != std::string::npos) {
    add({PartKind::kDisk, target});
    add({PartKind::kServer, target.substr(0, slash)});
  } else {
    add(known.value_or(Part{PartKind::kTarget, target}));
  }
  path.add_metadata_servers();
  add(grouping.host_part(client));
  return path.take();
}

const std::vector<PingHop>& PingPaths::of(const std::string& client, const std::string& target) {
  const auto [at, added] = paths_.try_emplace({client, target});
  if (added) at->second = ping_hops(grouping_, client, target);
  return at->second;
}

}  // namespace laggard::detect
