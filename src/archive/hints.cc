#include "archive/hints.h"

#include <algorithm>
#include <array>

#include "archive/tokens.h"

namespace laggard::archive {

namespace {

using Names = std::array<std::string_view, 4>;

struct Recipe {
  std::string_view kind;
  std::string_view counter;
  Names growth;
  Names buckets;
};

// `ios` exists where only the sum of reads and writes is known (sysstat). References must not form a cycle:
// requests refer to nothing, times to requests, sums to times.
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

Runs runs_of(const SampleTable& table, std::size_t c, std::size_t d) {
  return table.uniform(c, d) ? Runs::full(table.times().size()) : Runs::of(table.presence(c, d));
}

std::span<const std::uint64_t> dense_cells(const SampleTable& table, std::size_t c, std::size_t d,
                                           const Runs& runs, std::vector<std::uint64_t>& scratch) {
  if (const auto value = table.uniform(c, d)) {
    scratch.assign(runs.present(), *value);
    return scratch;
  }
  const std::span<const std::uint64_t> series = table.series(c, d);
  if (runs.is_full()) return series;
  scratch.clear();
  runs.for_each([&](std::size_t begin, std::size_t end) {
    scratch.insert(scratch.end(), series.begin() + static_cast<std::ptrdiff_t>(begin),
                   series.begin() + static_cast<std::ptrdiff_t>(end));
  });
  return scratch;
}

void HintSource::select(std::size_t d, const Runs& runs) {
  device_ = d;
  runs_ = &runs;
}

void HintSource::select_none() { runs_ = nullptr; }

bool HintSource::fits(std::size_t d, const Runs& runs) const {
  const auto same = [&](const UnpackedCounter& c) { return runs_of(*c.table, c.counter, d) == runs; };
  return std::ranges::all_of(growth_counters_, same) && std::ranges::all_of(bucket_counters_, same);
}

void HintSource::sum(const std::vector<UnpackedCounter>& counters, std::vector<std::uint64_t>& out) {
  out.clear();
  for (const UnpackedCounter& c : counters) {
    if (c.table->uniform(c.counter, device_)) {
      out.resize(runs_->present() - 1);  // It does not grow.
      continue;
    }
    const std::span<const std::uint64_t> cells = dense_cells(*c.table, c.counter, device_, *runs_, dense_);
    out.resize(cells.size() - 1);
    for (std::size_t i = 0; i + 1 < cells.size(); ++i) out[i] += cells[i + 1] - cells[i];
  }
}

std::span<const std::uint64_t> HintSource::growth() {
  if (runs_ == nullptr || growth_counters_.empty()) return {};
  sum(growth_counters_, growth_);
  return growth_;
}

std::span<const std::uint8_t> HintSource::buckets() {
  if (runs_ == nullptr || bucket_counters_.empty()) return {};
  sum(bucket_counters_, magnitudes_);
  buckets_.resize(magnitudes_.size());
  std::ranges::transform(magnitudes_, buckets_.begin(), [](std::uint64_t m) { return bucket_of(m); });
  return buckets_;
}

}  // namespace laggard::archive
