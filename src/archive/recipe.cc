#include "archive/recipe.h"

#include <algorithm>
#include <array>

namespace laggard::archive {

namespace {

using Names = std::array<std::string_view, 4>;

struct Recipe {
  std::string_view kind;
  std::string_view counter;
  Names growth;
  Names buckets;
};

// `ios` is there where only the sum of reads and writes is known (sysstat). References must not run in
// circles: requests stand alone, times refer to requests, sums to times.
constexpr std::array kRecipes{
    Recipe{"disk", "rd_merges", {}, {"rd_ios"}},
    Recipe{"disk", "rd_sectors", {"rd_ios"}, {"rd_ios", "ios"}},
    Recipe{"disk", "rd_ms", {}, {"rd_ios", "ios"}},
    Recipe{"disk", "wr_merges", {}, {"wr_ios"}},
    Recipe{"disk", "wr_sectors", {"wr_ios"}, {"wr_ios", "ios"}},
    Recipe{"disk", "wr_ms", {}, {"wr_ios", "ios"}},
    Recipe{"disk", "dc_sectors", {"dc_ios"}, {"dc_ios"}},
    Recipe{"disk", "dc_ms", {}, {"dc_ios"}},
    Recipe{"disk", "fl_ms", {}, {"fl_ios"}},
    Recipe{"disk", "io_ms", {}, {"rd_ms", "wr_ms"}},
    Recipe{"disk", "weighted_ms", {"rd_ms", "wr_ms", "dc_ms", "fl_ms"}, {}},
    Recipe{"net", "rx_bytes", {"rx_packets"}, {"rx_packets"}},
    Recipe{"net", "tx_bytes", {"tx_packets"}, {"tx_packets"}},
};

std::vector<std::uint16_t> indices(const Names& wanted, const std::vector<std::string_view>& names) {
  std::vector<std::uint16_t> found;
  for (const std::string_view name : wanted) {
    const auto at = std::ranges::find(names, name);
    if (!name.empty() && at != names.end()) found.push_back(static_cast<std::uint16_t>(at - names.begin()));
  }
  return found;
}

}  // namespace

References find_references(std::string_view kind, const std::vector<std::string_view>& names, std::size_t c) {
  const auto recipe = std::ranges::find_if(
      kRecipes, [&](const Recipe& r) { return r.kind == kind && r.counter == names[c]; });
  if (recipe == kRecipes.end()) return {};
  return {.growth = indices(recipe->growth, names), .buckets = indices(recipe->buckets, names)};
}

}  // namespace laggard::archive
