#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace laggard::archive {

/// Indices of counters of the same block that help to code another one: see ColumnHints. What they are is the
/// writer's choice and stands in the block header; a reader unpacks them first and needs no such table.
struct References {
  std::vector<std::uint16_t> growth;   ///< Whose growth this counter's is likely a multiple of, together.
  std::vector<std::uint16_t> buckets;  ///< Whose growth, together, tells how much this one grows.
  bool operator==(const References&) const = default;
  [[nodiscard]] bool empty() const { return growth.empty() && buckets.empty(); }
};

/// What the kernel's way of counting suggests for counter `names[c]` of a block with the counters `names`:
/// sectors go with requests, waiting times with requests, busy time with waiting time, and the weighted time
/// of recent kernels is the sum of the others (block/genhd.c).
[[nodiscard]] References find_references(std::string_view kind, const std::vector<std::string_view>& names,
                                         std::size_t c);

}  // namespace laggard::archive
