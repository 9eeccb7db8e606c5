#include "model/sample_table.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/error.h"

namespace laggard {

SampleTable::SampleTable(std::string host, DeviceKind kind, std::vector<TableCounter> counters,
                         std::vector<std::string> devices, std::vector<WallTime> times)
    : host_(std::move(host)),
      kind_(kind),
      counters_(std::move(counters)),
      devices_(std::move(devices)),
      times_(std::move(times)),
      uniform_(counters_.size() * devices_.size()),
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

namespace {

constexpr std::uint8_t kPresent = 1;

}  // namespace

SampleTable::View SampleTable::view(std::size_t c, std::size_t d) const {
  const std::optional<std::uint64_t>& uniform = uniform_[c * devices_.size() + d];
  if (uniform) return {&*uniform, &kPresent, 0};
  const std::size_t first = cell(c, d, 0);
  return {values_.span().data() + first, present_.span().data() + first, 1};
}

void SampleTable::write_out(std::size_t c, std::size_t d) {
  std::optional<std::uint64_t>& uniform = uniform_[c * devices_.size() + d];
  if (!uniform) return;
  std::ranges::fill(values_.span().subspan(cell(c, d, 0), times_.size()), *uniform);
  std::ranges::fill(present_.span().subspan(cell(c, d, 0), times_.size()), kPresent);
  uniform.reset();
}

std::span<const std::uint64_t> SampleTable::series(std::size_t c, std::size_t d) const {
  LAGGARD_CHECK(!uniform(c, d));
  return values_.span().subspan(cell(c, d, 0), times_.size());
}

std::span<const std::uint8_t> SampleTable::presence(std::size_t c, std::size_t d) const {
  LAGGARD_CHECK(!uniform(c, d));
  return present_.span().subspan(cell(c, d, 0), times_.size());
}

std::span<std::uint64_t> SampleTable::series(std::size_t c, std::size_t d) {
  write_out(c, d);
  return overwrite(c, d).series;
}

std::span<std::uint8_t> SampleTable::presence(std::size_t c, std::size_t d) {
  write_out(c, d);
  return overwrite(c, d).presence;
}

SampleTable::Cells SampleTable::overwrite(std::size_t c, std::size_t d) {
  uniform_[c * devices_.size() + d].reset();
  return {values_.span().subspan(cell(c, d, 0), times_.size()),
          present_.span().subspan(cell(c, d, 0), times_.size())};
}

void SampleTable::set_uniform(std::size_t c, std::size_t d, std::uint64_t value) {
  uniform_[c * devices_.size() + d] = value;
}

void SampleTable::set(std::size_t c, std::size_t d, std::size_t t, std::uint64_t value) {
  write_out(c, d);
  const Cells cells = overwrite(c, d);
  cells.series[t] = value;
  cells.presence[t] = 1;
}

void SampleTable::copy(const View& from, const Cut& cut, std::size_t c, std::size_t d) {
  write_out(c, d);
  const Cells cells = overwrite(c, d);
  const std::size_t n = cut.end - cut.begin;
  if (from.step_ == 0) {
    std::fill_n(cells.series.data() + cut.at, n, from.value(0));
    std::fill_n(cells.presence.data() + cut.at, n, kPresent);
  } else {
    std::copy_n(from.values_ + cut.begin, n, cells.series.data() + cut.at);
    std::copy_n(from.presence_ + cut.begin, n, cells.presence.data() + cut.at);
  }
}

void SampleTable::copy(const SampleTable& from, std::size_t from_c, std::size_t from_d, std::size_t c,
                       std::size_t d) {
  if (const auto value = from.uniform(from_c, from_d)) {
    set_uniform(c, d, *value);
  } else {
    copy(from.view(from_c, from_d), {.begin = 0, .end = times_.size(), .at = 0}, c, d);
  }
}

std::size_t SampleTable::present_cells() const {
  std::size_t present = 0;
  for (std::size_t c = 0; c < counters_.size(); ++c) {
    for (std::size_t d = 0; d < devices_.size(); ++d) {
      present += uniform(c, d) ? times_.size()
                               : static_cast<std::size_t>(std::ranges::count(presence(c, d), kPresent));
    }
  }
  return present;
}

bool SampleTable::operator==(const SampleTable& other) const {
  const auto facts = [](const SampleTable& t) {
    return std::tie(t.host_, t.kind_, t.boot_, t.counters_, t.devices_, t.times_);
  };
  if (facts(*this) != facts(other)) return false;
  for (std::size_t c = 0; c < counters_.size(); ++c) {
    for (std::size_t d = 0; d < devices_.size(); ++d) {
      const View mine = view(c, d);
      const View theirs = other.view(c, d);
      for (std::size_t t = 0; t < times_.size(); ++t) {
        if (mine.present(t) != theirs.present(t) || mine.value(t) != theirs.value(t)) return false;
      }
    }
  }
  return true;
}

}  // namespace laggard
