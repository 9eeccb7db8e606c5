#include "archive/hints.h"

#include <algorithm>

#include "archive/tokens.h"

namespace laggard::archive {

std::span<const std::uint64_t> dense_cells(std::span<const std::uint64_t> series, const Runs& runs,
                                           std::vector<std::uint64_t>& scratch) {
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
  const auto same = [&](const UnpackedCounter& c) {
    return Runs::of(c.table->presence(c.counter, d)) == runs;
  };
  return std::ranges::all_of(growth_counters_, same) && std::ranges::all_of(bucket_counters_, same);
}

void HintSource::sum(const std::vector<UnpackedCounter>& counters, std::vector<std::uint64_t>& out) {
  out.clear();
  for (const UnpackedCounter& c : counters) {
    if (c.table->uniform(c.counter, device_)) {
      out.resize(runs_->present() - 1);  // It does not grow.
      continue;
    }
    const std::span<const std::uint64_t> cells =
        dense_cells(c.table->series(c.counter, device_), *runs_, dense_);
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
