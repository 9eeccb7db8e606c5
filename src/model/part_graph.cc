#include "model/part_graph.h"

#include <algorithm>

namespace laggard {

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
      if (edge.kind == EdgeKind::kPairsWith) continue;
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
