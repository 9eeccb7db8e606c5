#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace laggard::topology {

/// One device of one host, by position.
struct Place {
  std::uint32_t host = 0;
  std::uint32_t device = 0;
  bool operator==(const Place&) const = default;
};

/// Devices of different hosts that play the same part.
struct Counterparts {
  std::string label;  ///< The device name when it is the same on all hosts, else `rank 2`, counted from 1.
  std::vector<Place> places;  ///< By host.
};

/// Which device of a host corresponds to which of the others.
///
/// \param names  per host the names of its devices, in their order of rank.
/// Where all hosts have equally many devices: by rank alone. Otherwise rank would pair a data disk with the
/// neighbour's system disk as soon as one of them is idle, so that names that at least half of the hosts have
/// stand for themselves first, and only the rest is ranked. Every device comes back exactly once.
[[nodiscard]] std::vector<Counterparts> align_by_rank(std::span<const std::vector<std::string_view>> names);

}  // namespace laggard::topology
