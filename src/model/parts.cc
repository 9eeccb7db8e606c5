#include "model/parts.h"

#include <algorithm>
#include <array>

namespace laggard {

namespace {

// The order is that of the constants in parts.h, and that in which blames of equal worth are preferred.
constexpr std::array kKinds{
    PartKindSpec{"server", "server", 1},
    PartKindSpec{"disk", "disk", 0},
    PartKindSpec{"lun", "lun", 1},
    PartKindSpec{"attachment", "attachment", 0},
    PartKindSpec{"controller", "controller", 2},
    PartKindSpec{"array", "array", 3},
    PartKindSpec{"drawer", "drawer", 2},
    PartKindSpec{"link", "link", 0},
    PartKindSpec{"network", "network", 4, true},
    PartKindSpec{"load_balancer", "load balancer", 4, true},
    PartKindSpec{"metadata_server", "metadata server", 1},
    PartKindSpec{"client", "client", 1},
    PartKindSpec{"switch", "switch", 3, true},
    PartKindSpec{"router", "router", 3, true},
    PartKindSpec{"process", "process", 0},
    PartKindSpec{"target", "target", 1},
};
static_assert(kKinds.size() == PartKind::kTarget.index() + 1);

}  // namespace

std::span<const PartKindSpec> part_kinds() { return kKinds; }

const PartKindSpec& PartKind::spec() const { return kKinds[row_]; }

std::optional<PartKind> find_part_kind(std::string_view name) {
  const auto found = std::ranges::find(kKinds, name, &PartKindSpec::name);
  if (found == kKinds.end()) return std::nullopt;
  return PartKind(static_cast<std::uint8_t>(found - kKinds.begin()));
}

PartId PartGraph::add(Part part) {
  const PartId id{static_cast<std::uint32_t>(parts_.size())};
  const auto [at, added] = index_.try_emplace({part.kind, part.name}, id);
  if (!added) return at->second;
  parts_.push_back(std::move(part));
  edges_.emplace_back();
  return id;
}

void PartGraph::connect(PartId from, EdgeKind kind, PartId to) {
  const auto once = [&](PartId a, PartId b) {
    std::vector<Edge>& edges = edges_[a.index()];
    const Edge edge{kind, b};
    if (std::ranges::find(edges, edge) == edges.end()) edges.push_back(edge);
  };
  once(from, to);
  if (kind == EdgeKind::kPairsWith) once(to, from);
}

std::optional<PartId> PartGraph::find(PartKind kind, const std::string& name) const {
  const auto found = index_.find({kind, name});
  if (found == index_.end()) return std::nullopt;
  return found->second;
}

std::vector<PartId> PartGraph::needs(PartId part) const {
  std::vector<PartId> reached{part};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const Edge& edge : edges_of(reached[i])) {
      if (edge.kind == EdgeKind::kPairsWith || edge.kind == EdgeKind::kOwnedBy) continue;
      if (std::ranges::find(reached, edge.to) == reached.end()) reached.push_back(edge.to);
    }
  }
  return reached;
}

const Part* PartGraph::nearest(PartId part, PartKind kind) const {
  for (const PartId id : needs(part)) {
    if ((*this)[id].kind == kind) return &(*this)[id];
  }
  return nullptr;
}

}  // namespace laggard
