#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/sample_table.h"

namespace laggard::collect {

/// A line of /proc/net/dev (docs/formats/net_dev.md): `name: rx counters... tx counters...`.
struct NetLine {
  std::string_view name;
  std::string_view counters;
};

/// rx and tx bytes, packets, errors and drops.
inline constexpr std::size_t kNetCounters = 8;
[[nodiscard]] std::vector<TableCounter> net_counters();

/// Nothing for the two header lines and for what is not of that form.
[[nodiscard]] std::optional<NetLine> split_net_line(std::string_view line);

/// Reads the counters of a line; the mask of those that are there, 0 when the line has fewer than 12 numbers.
[[nodiscard]] std::uint32_t read_net_counters(std::string_view counters,
                                              std::span<std::uint64_t, kNetCounters> values);

}  // namespace laggard::collect
