#include "collect/procfs/link_state.h"

#include <string>
#include <string_view>

#include "base/file.h"
#include "base/text.h"

namespace laggard::collect {

namespace {

constexpr std::array<std::string_view, kLinkCounters> kLinkNames{"link_mbit", "half_duplex",
                                                                 "carrier_changes", "rx_crc_errors"};

}  // namespace

std::vector<TableCounter> link_counters() {
  std::vector<TableCounter> counters;
  counters.reserve(kLinkCounters);
  for (const std::string_view name : kLinkNames) {
    counters.push_back({std::string(name), find_counter(DeviceKind::kNet, name)->form});
  }
  return counters;
}

LinkState read_link_state(const std::filesystem::path& interface) {
  LinkState state;
  // -1, or 2^32 - 1 from old kernels, is an unknown speed.
  constexpr std::uint64_t kUnknown = 0xffffffff;
  const auto number = [&](Link link, const char* file, std::uint64_t below) {
    const Result<std::string> text = read_file(interface / file);
    const auto value = text ? to_number<std::uint64_t>(trim(*text)) : std::nullopt;
    if (value && *value < below) state.set(link, *value);
  };
  number(Link::kMbit, "speed", kUnknown);
  number(Link::kCarrierChanges, "carrier_changes", UINT64_MAX);
  number(Link::kCrcErrors, "statistics/rx_crc_errors", UINT64_MAX);
  const Result<std::string> duplex = read_file(interface / "duplex");
  if (duplex && trim(*duplex) != "unknown") state.set(Link::kHalfDuplex, trim(*duplex) == "half" ? 1 : 0);
  return state;
}

}  // namespace laggard::collect
