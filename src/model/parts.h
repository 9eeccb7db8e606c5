#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/id.h"

namespace laggard {

/// What is known of a kind of parts.
struct PartKindSpec {
  std::string_view name;   ///< In system files, rules and JSON: `load_balancer`.
  std::string_view title;  ///< In sentences: `load balancer`.
  /// How far out it is: 0 for what one component is, 1 for what a component runs through and shares with
  /// few, up to 4 for what many servers share. A part from 2 on is blamed for several components only.
  int reach = 0;
  bool connects = false;  ///< Hosts reach each other over it, so that its faults are those of all behind it.
};

/// A kind of parts: a row of the table of kinds in parts.cc. To add a kind is to add a row, and a constant
/// here for who builds such parts.
class PartKind {
 public:
  static const PartKind kServer;
  static const PartKind kDisk;
  static const PartKind kLun;
  static const PartKind kAttachment;
  static const PartKind kController;
  static const PartKind kArray;
  static const PartKind kDrawer;
  static const PartKind kLink;
  static const PartKind kNetwork;
  static const PartKind kLoadBalancer;
  static const PartKind kMetadataServer;
  static const PartKind kClient;
  static const PartKind kSwitch;
  static const PartKind kRouter;
  static const PartKind kProcess;
  static const PartKind kTarget;

  constexpr PartKind() = default;
  constexpr explicit PartKind(std::uint8_t row) : row_(row) {}
  [[nodiscard]] const PartKindSpec& spec() const;
  [[nodiscard]] constexpr std::size_t index() const { return row_; }
  auto operator<=>(const PartKind&) const = default;

 private:
  std::uint8_t row_ = 0;
};

inline constexpr PartKind PartKind::kServer{0};
inline constexpr PartKind PartKind::kDisk{1};
inline constexpr PartKind PartKind::kLun{2};
inline constexpr PartKind PartKind::kAttachment{3};
inline constexpr PartKind PartKind::kController{4};
inline constexpr PartKind PartKind::kArray{5};
inline constexpr PartKind PartKind::kDrawer{6};
inline constexpr PartKind PartKind::kLink{7};
inline constexpr PartKind PartKind::kNetwork{8};
inline constexpr PartKind PartKind::kLoadBalancer{9};
inline constexpr PartKind PartKind::kMetadataServer{10};
inline constexpr PartKind PartKind::kClient{11};
inline constexpr PartKind PartKind::kSwitch{12};
inline constexpr PartKind PartKind::kRouter{13};
inline constexpr PartKind PartKind::kProcess{14};
/// What probes are pinned to and the system file does not know: an OST, a brick, an export.
inline constexpr PartKind PartKind::kTarget{15};

[[nodiscard]] std::span<const PartKindSpec> part_kinds();
[[nodiscard]] inline std::string_view to_name(PartKind kind) { return kind.spec().name; }
[[nodiscard]] std::optional<PartKind> find_part_kind(std::string_view name);

/// What can be sick or blamed, measured or not: a disk, a LUN, a controller, a server, a link, a switch.
struct Part {
  PartKind kind;
  std::string name;
  std::string called{};  ///< What the site calls such a part where that is not its kind: `rack`, `enclosure`.
  auto operator<=>(const Part&) const = default;
};

using PartId = Id<struct PartTag>;

/// How one part depends on another.
enum class EdgeKind : std::uint8_t {
  kRunsThrough,  ///< Its work is done by the other: an attachment runs through its LUN and its server.
  kRoutesOver,   ///< Its traffic passes the other: a link routes over a switch.
  kMemberOf,     ///< It is one of those that the other holds: a disk is a member of a drawer.
  kPairsWith,    ///< Each serves for the other when that fails: the two controllers of an array.
  kOwnedBy,      ///< The other does its work, whichever way that comes: a LUN's and its controller's.
};

/// The parts of a system and how they depend on each other. Whatever is sick slows what needs it (`needs`);
/// parts that pair are not needed by each other, and a LUN that loses its owner gets another.
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
