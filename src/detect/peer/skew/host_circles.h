#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/grouping.h"
#include "model/metric.h"

namespace laggard::detect {

/// Hosts that serve the same load: a *circle* are those that peer groups of disks or of interfaces connect.
/// Groups that exist only as second ones, and those whose members all stand behind a better attachment, do
/// not count: there is next to no load in them.
struct HostCircles {
  /// Where the numbers of a group's members go.
  struct Place {
    std::size_t circle = 0;
    std::vector<std::size_t> hosts;  ///< Per member, in the circle.
  };
  std::vector<std::vector<std::string>> circles;  ///< Hosts in natural order; 3 to 2048 each.
  std::vector<std::optional<Place>> places;       ///< Per group.

  /// A row of loads: circle by circle, channel by channel, a number per host.
  [[nodiscard]] std::size_t row() const;
  [[nodiscard]] std::size_t row_of(std::size_t circle) const;  ///< How many of them are the circle's.
  [[nodiscard]] std::size_t first_of(std::size_t circle) const;
};

[[nodiscard]] HostCircles make_circles(const Grouping& grouping);

/// Kinds of traffic that are told apart; of a metric that is none of them, nothing. Packets and requests come
/// with the bytes and tell nothing beside them.
inline constexpr std::size_t kLoadChannels = 5;
[[nodiscard]] std::optional<std::size_t> load_channel(const MetricSpec& metric);

}  // namespace laggard::detect
