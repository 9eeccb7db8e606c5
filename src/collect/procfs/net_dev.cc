#include "collect/procfs/net_dev.h"

#include <array>
#include <bit>

#include "base/text.h"

namespace laggard::collect {

namespace {

struct Column {
  std::string_view name;
  std::size_t place;  ///< Among the numbers after the colon: 8 of receive, then 8 of transmit.
};

constexpr std::array<Column, kNetCounters> kColumns{{{"rx_bytes", 0},
                                                     {"rx_packets", 1},
                                                     {"rx_errors", 2},
                                                     {"rx_drop", 3},
                                                     {"tx_bytes", 8},
                                                     {"tx_packets", 9},
                                                     {"tx_errors", 10},
                                                     {"tx_drop", 11}}};
constexpr std::size_t kNumbers = 12;

}  // namespace

std::vector<TableCounter> net_counters() {
  std::vector<TableCounter> counters;
  counters.reserve(kNetCounters);
  for (const Column& column : kColumns) {
    counters.push_back({std::string(column.name), find_counter(DeviceKind::kNet, column.name)->form});
  }
  return counters;
}

std::optional<NetLine> split_net_line(std::string_view line) {
  // The last colon: aliases of old kernels (`eth0:1`) have one in their name; numbers never do.
  const std::size_t colon = line.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view name = trim(line.substr(0, colon));
  if (name.empty() || name.find('|') != std::string_view::npos) return std::nullopt;
  return NetLine{name, line.substr(colon + 1)};
}

std::uint32_t read_net_counters(std::string_view counters, std::span<std::uint64_t, kNetCounters> values) {
  std::array<std::uint64_t, kNumbers> all{};
  const std::uint32_t found = read_numbers(counters, all);
  if (std::bit_width(found) < static_cast<int>(kNumbers)) return 0;
  std::uint32_t mask = 0;
  for (std::size_t c = 0; c < kNetCounters; ++c) {
    if ((found >> kColumns[c].place & 1U) == 0) continue;
    values[c] = all[kColumns[c].place];
    mask |= std::uint32_t{1} << c;
  }
  return mask;
}

}  // namespace laggard::collect
