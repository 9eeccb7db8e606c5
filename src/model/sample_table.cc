#include "model/sample_table.h"

#include <algorithm>
#include <utility>

namespace laggard {

SampleTable::SampleTable(std::string host, DeviceKind kind, std::vector<TableCounter> counters,
                         std::vector<std::string> devices, std::vector<WallTime> times)
    : host_(std::move(host)),
      kind_(kind),
      counters_(std::move(counters)),
      devices_(std::move(devices)),
      times_(std::move(times)),
      values_(counters_.size() * devices_.size() * times_.size()),
      present_(values_.size()) {}

std::optional<std::size_t> SampleTable::counter_index(std::string_view name) const {
  for (std::size_t c = 0; c < counters_.size(); ++c) {
    if (counters_[c].name == name) return c;
  }
  return std::nullopt;
}

std::optional<std::size_t> SampleTable::device_index(std::string_view name) const {
  const auto found = std::find(devices_.begin(), devices_.end(), name);
  if (found == devices_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - devices_.begin());
}

std::optional<std::uint64_t> SampleTable::integer(std::size_t c, std::size_t d, std::size_t t) const {
  if (!present(c, d, t)) return std::nullopt;
  return bits(c, d, t);
}

std::optional<double> SampleTable::number(std::size_t c, std::size_t d, std::size_t t) const {
  if (!present(c, d, t)) return std::nullopt;
  const std::uint64_t raw = bits(c, d, t);
  return counters_[c].form == CounterForm::kGauge ? std::bit_cast<double>(raw) : static_cast<double>(raw);
}

std::span<const std::uint64_t> SampleTable::series(std::size_t c, std::size_t d) const {
  return std::span(values_).subspan(cell(c, d, 0), times_.size());
}

std::span<const std::uint8_t> SampleTable::presence(std::size_t c, std::size_t d) const {
  return std::span(present_).subspan(cell(c, d, 0), times_.size());
}

std::span<std::uint64_t> SampleTable::series(std::size_t c, std::size_t d) {
  return std::span(values_).subspan(cell(c, d, 0), times_.size());
}

std::span<std::uint8_t> SampleTable::presence(std::size_t c, std::size_t d) {
  return std::span(present_).subspan(cell(c, d, 0), times_.size());
}

void SampleTable::set(std::size_t c, std::size_t d, std::size_t t, std::uint64_t value) {
  const std::size_t at = cell(c, d, t);
  values_[at] = value;
  present_[at] = 1;
}

std::size_t SampleTable::present_cells() const {
  return static_cast<std::size_t>(std::count(present_.begin(), present_.end(), std::uint8_t{1}));
}

}  // namespace laggard
