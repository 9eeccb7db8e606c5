#include "model/sample_table.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace laggard {

SampleTable::SampleTable(std::string host, DeviceKind kind, std::vector<TableCounter> counters,
                         std::vector<std::string> devices, std::vector<WallTime> times)
    : host_(std::move(host)),
      kind_(kind),
      counters_(std::move(counters)),
      devices_(std::move(devices)),
      times_(std::move(times)),
      series_(counters_.size() * devices_.size()),
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
  return counters_[c].form == CounterForm::kComputedRate ? std::bit_cast<double>(raw)
                                                         : static_cast<double>(raw);
}

void SampleTable::write_out(std::size_t c, std::size_t d) const {
  Series& s = series_[c * devices_.size() + d];
  if (s.written) return;
  s.written = true;
  std::ranges::fill(values_.span().subspan(cell(c, d, 0), times_.size()), s.uniform ? s.value : 0);
  std::ranges::fill(present_.span().subspan(cell(c, d, 0), times_.size()),
                    static_cast<std::uint8_t>(s.uniform));
}

std::span<const std::uint64_t> SampleTable::series(std::size_t c, std::size_t d) const {
  write_out(c, d);
  return values_.span().subspan(cell(c, d, 0), times_.size());
}

std::span<const std::uint8_t> SampleTable::presence(std::size_t c, std::size_t d) const {
  write_out(c, d);
  return present_.span().subspan(cell(c, d, 0), times_.size());
}

/// Who may write to a series may make it anything.
std::span<std::uint64_t> SampleTable::series(std::size_t c, std::size_t d) {
  write_out(c, d);
  return overwrite(c, d).series;
}

std::span<std::uint8_t> SampleTable::presence(std::size_t c, std::size_t d) {
  write_out(c, d);
  return overwrite(c, d).presence;
}

SampleTable::Cells SampleTable::overwrite(std::size_t c, std::size_t d) {
  series_[c * devices_.size() + d] = {.uniform = false, .written = true, .value = 0};
  return {values_.span().subspan(cell(c, d, 0), times_.size()),
          present_.span().subspan(cell(c, d, 0), times_.size())};
}

void SampleTable::set_uniform(std::size_t c, std::size_t d, std::uint64_t value) {
  series_[c * devices_.size() + d] = {.uniform = true, .written = false, .value = value};
}

void SampleTable::set(std::size_t c, std::size_t d, std::size_t t, std::uint64_t value) {
  write_out(c, d);
  const Cells cells = overwrite(c, d);
  cells.series[t] = value;
  cells.presence[t] = 1;
}

std::size_t SampleTable::present_cells() const {
  for (std::size_t c = 0; c < counters_.size(); ++c) {
    for (std::size_t d = 0; d < devices_.size(); ++d) write_out(c, d);
  }
  return static_cast<std::size_t>(std::ranges::count(present_.span(), std::uint8_t{1}));
}

bool SampleTable::operator==(const SampleTable& other) const {
  const auto facts = [](const SampleTable& t) {
    return std::tie(t.host_, t.kind_, t.boot_, t.counters_, t.devices_, t.times_);
  };
  if (facts(*this) != facts(other)) return false;
  for (std::size_t c = 0; c < counters_.size(); ++c) {
    for (std::size_t d = 0; d < devices_.size(); ++d) {
      if (!std::ranges::equal(series(c, d), other.series(c, d))) return false;
      if (!std::ranges::equal(presence(c, d), other.presence(c, d))) return false;
    }
  }
  return true;
}

}  // namespace laggard
