#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
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

/// What the probes of a client to a target pass, as far as the part graph knows: the client and what it
/// needs; any metadata server; the target and what it needs. What pairs with a part stands by for it; so do
/// the servers of a LUN's attachments for each other. A part is passed once. Of a
/// target that the graph does not know `fs3/sdb` is a disk of the server fs3, and any other name one of the
/// kind `target`, alone.
[[nodiscard]] std::vector<PingHop> ping_hops(const Grouping& grouping, const std::string& client,
                                             const std::string& target);

/// The paths of all pairs of a client and a target that probes were seen on, remembered as they come.
class PingPaths {
 public:
  explicit PingPaths(const Grouping& grouping) : grouping_(grouping) {}
  [[nodiscard]] const std::vector<PingHop>& of(const std::string& client, const std::string& target);

 private:
  const Grouping& grouping_;
  std::map<std::pair<std::string, std::string>, std::vector<PingHop>> paths_;
};

}  // namespace laggard::detect
