#include "collect/procfs/link_state.h"

#include <string>
#include <string_view>

#include "base/file.h"
#include "base/text.h"

namespace laggard::collect {

namespace {

enum Link : std::uint8_t { kMbit, kHalfDuplex, kCarrierChanges, kCrcErrors };
constexpr std::array<std::string_view, kLinkCounters> kNames{"link_mbit", "half_duplex", "carrier_changes",
                                                             "rx_crc_errors"};

}  // namespace

std::vector<TableCounter> link_counters() {
  std::vector<TableCounter> counters;
  for (const std::string_view name : kNames) {
    counters.push_back({std::string(name), find_counter(DeviceKind::kNet, name)->form});
  }
  return counters;
}

LinkState read_link_state(const std::filesystem::path& interface) {
  LinkState state;
  const auto set = [&](Link link, std::uint64_t value) {
    state.values[link] = value;
    state.present |= std::uint32_t{1} << link;
  };
  // -1, or 2^32 - 1 from old kernels, is an unknown speed.
  constexpr std::uint64_t kUnknown = 0xffffffff;
  const auto number = [&](Link link, const char* file, std::uint64_t below) {
    const Result<std::string> text = read_file(interface / file);
    const auto value = text ? to_number<std::uint64_t>(trim(*text)) : std::nullopt;
    if (value && *value < below) set(link, *value);
  };
  number(kMbit, "speed", kUnknown);
  number(kCarrierChanges, "carrier_changes", UINT64_MAX);
  number(kCrcErrors, "statistics/rx_crc_errors", UINT64_MAX);
  const Result<std::string> duplex = read_file(interface / "duplex");
  if (duplex && trim(*duplex) != "unknown") set(kHalfDuplex, trim(*duplex) == "half" ? 1 : 0);
  return state;
}

}  // namespace laggard::collect
