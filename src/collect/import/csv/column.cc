#include "collect/import/csv/column.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "base/text.h"

namespace laggard::collect {

namespace {

struct Unit {
  std::string_view name;
  double size = 1;  ///< In the first one of its list.
};

constexpr std::array kTimes{Unit{"ms", 1}, Unit{"s", 1e3}, Unit{"us", 1e-3}, Unit{"µs", 1e-3},
                            Unit{"ns", 1e-6}};
constexpr std::array kVolumes{
    Unit{"bytes", 1},    Unit{"B", 1},        Unit{"kB", 1e3},     Unit{"KiB", 1024},  Unit{"MB", 1e6},
    Unit{"MiB", 0x1p20}, Unit{"GB", 1e9},     Unit{"GiB", 0x1p30}, Unit{"bit", 0.125}, Unit{"kbit", 125},
    Unit{"Mbit", 125e3}, Unit{"Gbit", 125e6}, Unit{"sectors", 512}};

const Unit* find_unit(std::span<const Unit> units, std::string_view name) {
  const auto found = std::ranges::find(units, name, &Unit::name);
  return found == units.end() ? nullptr : &*found;
}

std::string names_of(std::span<const Unit> units, std::string_view ending) {
  std::vector<std::string> names;
  for (const Unit& unit : units) names.push_back(std::string(unit.name) + std::string(ending));
  return fmt::format("{}", fmt::join(names, ", "));
}

/// What a gauge or counter may be called.
std::string known_names(bool cumulative, DeviceKind kind) {
  std::vector<std::string_view> names;
  for (const CounterSpec& spec : known_counters()) {
    if (spec.kind == kind && (spec.form == CounterForm::kCumulative) == cumulative)
      names.push_back(spec.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::string_view CsvColumn::device_in(std::string_view column) const {
  const std::size_t star = name.find('*');
  const std::string_view before = std::string_view(name).substr(0, star);
  const std::string_view behind = std::string_view(name).substr(star + 1);
  if (column.size() <= before.size() + behind.size()) return {};
  if (!column.starts_with(before) || !column.ends_with(behind)) return {};
  return column.substr(before.size(), column.size() - before.size() - behind.size());
}

Result<double> unit_factor(std::string_view from, std::string_view to) {
  if (from == to) return 1.0;
  if (const Unit* target = find_unit(kTimes, to)) {
    if (const Unit* unit = find_unit(kTimes, from)) return unit->size / target->size;
    return fail(ErrorCode::kBadUse, "", fmt::format("'{}' is none of {}", from, names_of(kTimes, "")));
  }
  const std::string_view ending = to.ends_with("/s") ? "/s" : "";
  const auto bare = [&](std::string_view text) {
    return text.ends_with(ending) ? text.substr(0, text.size() - ending.size()) : std::string_view{};
  };
  if (const Unit* target = find_unit(kVolumes, bare(to))) {
    if (const Unit* unit = find_unit(kVolumes, bare(from))) return unit->size / target->size;
    return fail(ErrorCode::kBadUse, "", fmt::format("'{}' is none of {}", from, names_of(kVolumes, ending)));
  }
  return fail(ErrorCode::kBadUse, "", fmt::format("'{}' is not {}", from, to));
}

Result<CsvColumn> parse_column(std::string_view text, bool cumulative, DeviceKind kind) {
  const CounterForm plain = cumulative ? CounterForm::kCumulative : CounterForm::kComputedRate;
  const std::size_t equals = text.rfind('=');
  CsvColumn column;
  if (equals == std::string_view::npos) {
    column.name = text;
    column.counter = {column.name, plain};
    column.is_known = find_counter(kind, text) != nullptr;
    return column;
  }
  column.name = text.substr(0, equals);
  std::string_view what = text.substr(equals + 1);
  std::string_view unit;
  if (const std::size_t colon = what.find(':'); colon != std::string_view::npos) {
    unit = what.substr(colon + 1);
    what = what.substr(0, colon);
  }
  if (const std::size_t slash = what.rfind('/'); slash != std::string_view::npos) {
    column.device = what.substr(0, slash);
    what = what.substr(slash + 1);
  }
  const char* const option = cumulative ? "--counter" : "--gauge";
  const CounterSpec* spec = find_counter(kind, what);
  if (spec == nullptr || (spec->form == CounterForm::kCumulative) != cumulative) {
    return fail(ErrorCode::kBadUse, option,
                fmt::format("`{}` of `{}` is none of {}", what, column.name, known_names(cumulative, kind)));
  }
  if (column.is_pattern() && std::ranges::count(column.name, '*') != 1) {
    return fail(ErrorCode::kBadUse, option,
                fmt::format("`{}` needs one * where the device's name stands", column.name));
  }
  column.counter = {std::string(what), spec->form};
  if (unit.empty()) return column;
  // What is of any unit is compared as these.
  const std::string_view own = spec->unit != "any" ? spec->unit : what == "latency" ? "ms" : "bytes/s";
  const Result<double> factor = unit_factor(unit, own);
  if (!factor) {
    return fail(ErrorCode::kBadUse, option,
                fmt::format("the unit of `{}`: {}", column.name, factor.error().what));
  }
  column.scale = *factor;
  return column;
}

}  // namespace laggard::collect
