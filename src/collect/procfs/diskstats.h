#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "model/sample_table.h"

namespace laggard::collect {

/// A line of /proc/diskstats (docs/formats/diskstats.md): `major minor name counter...`.
struct DiskLine {
  std::string_view name;
  std::string_view counters;
};

/// 11 counters since Linux 2.6, 15 since 4.18 (discards), 17 since 5.5 (flushes). Later ones are not read.
inline constexpr std::size_t kDiskCounters = 17;

/// The names of those counters in their order, and behind them what only md arrays have: `sync_action`.
[[nodiscard]] std::vector<TableCounter> disk_counters();

/// Nothing when the line is not of that form.
[[nodiscard]] std::optional<DiskLine> split_disk_line(std::string_view line);

/// Reads the counters of a line; the mask of those that are there, or 0 when there are fewer than the 11 of
/// Linux 2.6 (4 on its oldest partitions), which says that the line means something else.
[[nodiscard]] std::uint32_t read_disk_counters(std::string_view counters,
                                               std::span<std::uint64_t, kDiskCounters> values);

}  // namespace laggard::collect
