#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/id.h"
#include "model/part.h"

namespace laggard {

using PartId = Id<struct PartTag>;

/// How one part depends on another.
enum class EdgeKind : std::uint8_t {
  kRunsThrough,  ///< Its work is done by the other: an attachment runs through its LUN and its server.
  kRoutesOver,   ///< Its traffic passes the other: a link routes over a switch.
  kMemberOf,     ///< It is one of those that the other holds: a disk is a member of a drawer.
  kPairsWith,    ///< Each serves for the other when that fails: the two controllers of an array.
};

/// The parts of a system and how they depend on each other. Whatever is sick slows what needs it (`needs`);
/// parts that pair are not needed by each other.
class PartGraph {
 public:
  struct Edge {
    EdgeKind kind = EdgeKind::kRunsThrough;
    PartId to;
    bool operator==(const Edge&) const = default;
  };

  /// The part of this kind and name; it is made when it is new.
  PartId add(Part part);
  /// Once, however often it is called; kPairsWith goes both ways.
  void connect(PartId from, EdgeKind kind, PartId to);

  [[nodiscard]] std::size_t size() const { return parts_.size(); }
  [[nodiscard]] const Part& operator[](PartId id) const { return parts_[id.index()]; }
  [[nodiscard]] std::optional<PartId> find(PartKind kind, const std::string& name) const;
  [[nodiscard]] std::span<const Edge> edges_of(PartId from) const { return edges_[from.index()]; }

  /// The part itself and all that it needs to work, directly or through others: nearest first, those that are
  /// as near in the order in which they were connected. Cycles are walked once.
  [[nodiscard]] std::vector<PartId> needs(PartId part) const;
  /// The nearest part of this kind that `part` needs or is; null when there is none.
  [[nodiscard]] const Part* nearest(PartId part, PartKind kind) const;

 private:
  std::vector<Part> parts_;
  std::vector<std::vector<Edge>> edges_;  ///< Per part.
  std::map<std::pair<PartKind, std::string>, PartId> index_;
};

}  // namespace laggard
