#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "model/grouping.h"
#include "model/parts.h"
#include "stats/path_health.h"

namespace laggard::detect {

/// Parts that one hop of a path shares in.
struct PingHop {
  std::vector<Part> parts;
  stats::PathHop::Sharing sharing = stats::PathHop::Sharing::kOne;
};

/// Whose probes of what.
struct PingPair {
  std::string client;
  std::string target;
  bool names = true;  ///< They make or remove files, which metadata servers do; else they only write to them.
  auto operator<=>(const PingPair&) const = default;
};

/// What probes pass, as far as the part graph knows: the target and what it needs; routers of the client's
/// way to it; where files are made or removed the metadata servers, those of the target's set if it is in
/// one; the client and what it needs. A part is passed once.
///
/// Requests go to one of those that stand by for each other (what pairs with a part, the servers of a LUN)
/// until somebody decides otherwise. So these are two hops: the first of them by itself, and all of them
/// together, where any one suffices. A server that limps and is not failed over is found by the first, a pair
/// that is overloaded by the second.
///
/// Of a target that the graph does not know `fs3/sdb` is a disk of the server fs3, and any other name one of
/// the kind `target`, alone.
class PingPaths {
 public:
  /// `grouping` must outlive this.
  explicit PingPaths(const Grouping& grouping);
  [[nodiscard]] std::vector<PingHop> of(const PingPair& pair) const;

 private:
  class Builder;

  const Grouping& grouping_;
  std::map<PartId, std::vector<Part>> servers_;             ///< Of a LUN, in the order of its attachments.
  std::vector<Part> metadata_;                              ///< All metadata servers.
  std::map<std::string, std::vector<std::size_t>> routes_;  ///< To a server, into Grouping::routes.
};

}  // namespace laggard::detect
