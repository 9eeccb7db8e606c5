#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "model/sample_table.h"

namespace laggard::collect {

/// link_mbit, half_duplex, carrier_changes and rx_crc_errors of an interface (docs/formats/net_dev.md).
inline constexpr std::size_t kLinkCounters = 4;
[[nodiscard]] std::vector<TableCounter> link_counters();

struct LinkState {
  std::array<std::uint64_t, kLinkCounters> values{};
  std::uint32_t present = 0;  ///< Mask over `values`: a link that is down has no speed.
};

/// What /sys/class/net/NAME says. Drivers may take their time over it.
[[nodiscard]] LinkState read_link_state(const std::filesystem::path& interface);

}  // namespace laggard::collect
