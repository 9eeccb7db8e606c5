#include "collect/record/sampler.h"

#include <numeric>

#include "base/error.h"

namespace laggard::collect {

Batch::Batch(std::string host, DeviceKind kind, std::vector<TableCounter> counters, std::size_t rare)
    : host_(std::move(host)), kind_(kind), counters_(std::move(counters)), rare_(rare) {
  LAGGARD_CHECK(counters_.size() <= 32 && rare_ <= counters_.size());
}

void Batch::begin_row(WallTime time) {
  rows_.push_back({time, masks_.size(), devices_.size()});
  masks_.resize(masks_.size() + devices_.size());
  values_.resize(masks_.size() * counters_.size());
}

Slot Batch::add(const std::string& device) {
  const auto [known, is_new] = index_.try_emplace(device, static_cast<std::uint32_t>(devices_.size()));
  const Slot slot{known->second, number_};
  if (!is_new) return slot;
  devices_.push_back(device);
  if (!rows_.empty()) {
    ++rows_.back().devices;
    masks_.resize(masks_.size() + 1);
    values_.resize(masks_.size() * counters_.size());
  }
  return slot;
}

std::span<std::uint64_t> Batch::cells(const Slot& slot) {
  LAGGARD_CHECK(has(slot) && !rows_.empty() && slot.index < rows_.back().devices);
  return std::span(values_).subspan((rows_.back().first + slot.index) * counters_.size(), counters_.size());
}

void Batch::set_present(const Slot& slot, std::uint32_t mask) {
  LAGGARD_CHECK(has(slot) && !rows_.empty() && slot.index < rows_.back().devices);
  masks_[rows_.back().first + slot.index] = mask;
}

std::vector<TableCounter> Batch::counters_shown(std::span<const std::uint32_t> ever) const {
  const std::uint32_t anywhere = std::accumulate(ever.begin(), ever.end(), std::uint32_t{0}, std::bit_or());
  std::vector<TableCounter> shown = counters_;
  for (std::size_t c = counters_.size(); c > counters_.size() - rare_; --c) {
    // From the end, so that the counters that stay keep their places.
    if ((anywhere >> (c - 1) & 1U) != 0) break;
    shown.pop_back();
  }
  return shown;
}

SampleTable Batch::take(const std::string& boot) {
  std::vector<std::size_t> place(devices_.size());
  std::vector<std::uint32_t> ever(devices_.size());
  for (const Row& row : rows_) {
    for (std::size_t d = 0; d < row.devices; ++d) ever[d] |= masks_[row.first + d];
  }
  const std::vector<TableCounter> shown = counters_shown(ever);
  std::vector<std::string> names;
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    if (ever[d] == 0) continue;
    place[d] = names.size();
    names.push_back(std::move(devices_[d]));
  }
  std::vector<WallTime> times;
  times.reserve(rows_.size());
  for (const Row& row : rows_) times.push_back(row.time);

  SampleTable table(host_, kind_, shown, std::move(names), std::move(times));
  table.set_boot(boot);
  for (std::size_t t = 0; t < rows_.size(); ++t) {
    const Row& row = rows_[t];
    for (std::size_t d = 0; d < row.devices; ++d) {
      const std::uint32_t mask = masks_[row.first + d];
      const std::uint64_t* cells = values_.data() + (row.first + d) * counters_.size();
      for (std::size_t c = 0; c < shown.size(); ++c) {
        if ((mask >> c & 1U) != 0) table.set(c, place[d], t, cells[c]);
      }
    }
  }
  devices_.clear();
  index_.clear();
  rows_.clear();
  values_.clear();
  masks_.clear();
  ++number_;
  return table;
}

}  // namespace laggard::collect
