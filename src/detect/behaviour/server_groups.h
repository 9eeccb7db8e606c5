#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "detect/behaviour/feature_windows.h"
#include "model/grouping.h"

namespace laggard::detect {

/// Which servers are compared in what they do: those of a peer group of hosts, of daemons, of interfaces or
/// of disks, whichever of these kinds a server is in first; those that are in none are compared with each
/// other. Clients are not compared: they run what users run.
class ServerGroups {
 public:
  /// \param grouping  outlives this
  explicit ServerGroups(const Grouping& grouping);

  [[nodiscard]] bool is_compared(std::string_view host) const;
  /// Name of its group; empty: those that are in none.
  [[nodiscard]] std::string_view group_of(const std::string& host) const;
  /// The hosts of a window by the names of their groups.
  [[nodiscard]] std::map<std::string_view, std::vector<std::size_t>> members(
      const FeatureWindow& window) const;

 private:
  const Grouping& grouping_;
  std::map<std::string, std::string> groups_;  ///< By host.
};

}  // namespace laggard::detect
