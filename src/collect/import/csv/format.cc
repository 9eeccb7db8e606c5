#include "collect/import/csv/format.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/text.h"
#include "collect/import/csv/column.h"

namespace laggard::collect {

namespace {

constexpr std::array<std::string_view, 6> kLongColumns{"time", "host", "kind", "device", "counter", "value"};

using Header = std::vector<std::string_view>;

tl::unexpected<Error> bad_header(std::string what) { return fail(ErrorCode::kBadInput, "", std::move(what)); }

std::string quoted_list(const Header& header) { return fmt::format("`{}`", fmt::join(header, ",")); }

Result<std::size_t> find_column(const Header& header, std::string_view name) {
  const auto found = std::find(header.begin(), header.end(), name);
  if (found == header.end() && header.size() == 1 && header[0].find(';') != std::string_view::npos) {
    return bad_header(fmt::format(
        "there is one column, `{}`; are its fields parted by semicolons? (--delimiter ';')", header[0]));
  }
  if (found == header.end()) {
    return bad_header(fmt::format("there is no column `{}`; the file has {}", name, quoted_list(header)));
  }
  if (std::find(found + 1, header.end(), name) != header.end()) {
    return bad_header(fmt::format("the column `{}` is there twice", name));
  }
  return static_cast<std::size_t>(found - header.begin());
}

Result<CsvLayout> long_layout(const CsvForm& form, const Header& header) {
  CsvLayout layout;
  layout.fields = header.size();
  const std::array<std::size_t*, kLongColumns.size()> places{&layout.time,   &layout.host,    &layout.kind,
                                                             &layout.device, &layout.counter, &layout.value};
  for (std::size_t i = 0; i < kLongColumns.size(); ++i) {
    if (std::find(header.begin(), header.end(), kLongColumns[i]) == header.end()) {
      return bad_header(
          fmt::format("the header {} is not `{}`; name the columns of a wide file with --time, "
                      "--component and --gauge or --counter",
                      quoted_list(header), fmt::join(kLongColumns, ",")));
    }
    Result<std::size_t> place = find_column(header, kLongColumns[i]);
    if (!place) return forward(place);
    *places[i] = *place;
  }
  for (const std::string_view name : header) {
    if (std::find(kLongColumns.begin(), kLongColumns.end(), name) == kLongColumns.end()) {
      return bad_header(fmt::format("the column `{}` is unknown; the long form has `{}`", name,
                                    fmt::join(kLongColumns, ",")));
    }
  }
  layout.canonical = form.delimiter == ',' && form.decimal == '.' &&
                     std::equal(header.begin(), header.end(), kLongColumns.begin(), kLongColumns.end());
  return layout;
}

/// The columns of all devices whose names fit.
Status add_pattern(const CsvColumn& column, const Header& header, CsvLayout& layout) {
  const std::size_t before = layout.values.size();
  for (std::size_t i = 0; i < header.size(); ++i) {
    const std::string_view device = i == layout.time || i == layout.host ? "" : column.device_in(header[i]);
    if (!device.empty()) layout.values.push_back({i, column.counter, std::string(device), column.scale});
  }
  if (layout.values.size() > before) return {};
  return bad_header(fmt::format("no column fits `{}`; the file has {}", column.name, quoted_list(header)));
}

Status add_values(const CsvForm& form, bool cumulative, const Header& header, CsvLayout& layout) {
  for (const std::string& text : cumulative ? form.counters : form.gauges) {
    Result<CsvColumn> column = parse_column(text, cumulative, form.kind);
    if (!column) return forward(column);
    if (column->is_pattern()) {
      if (Status added = add_pattern(*column, header, layout); !added) return added;
      continue;
    }
    Result<std::size_t> place = find_column(header, column->name);
    if (!place) return forward(place);
    layout.values.push_back({*place, column->counter, column->device, column->scale});
    if (!column->is_known) layout.unknown.push_back(column->name);
  }
  return {};
}

Result<CsvLayout> wide_layout(const CsvForm& form, const Header& header) {
  CsvLayout layout;
  layout.wide = true;
  layout.fields = header.size();
  const std::array<std::pair<std::string_view, std::size_t*>, 3> places{
      {{form.time, &layout.time}, {form.component, &layout.device}, {form.host_column, &layout.host}}};
  for (const auto& [name, place] : places) {
    if (name.empty()) continue;
    Result<std::size_t> found = find_column(header, name);
    if (!found) return forward(found);
    *place = *found;
  }
  for (const bool cumulative : {false, true}) {
    if (Status status = add_values(form, cumulative, header, layout); !status) return forward(status);
  }
  for (std::size_t i = 0; i < header.size(); ++i) {
    const bool used = i == layout.time || i == layout.device || i == layout.host ||
                      std::any_of(layout.values.begin(), layout.values.end(),
                                  [&](const CsvLayout::Value& value) { return value.field == i; });
    if (!used) layout.ignored.emplace_back(header[i]);
  }
  return layout;
}

}  // namespace

Result<CsvLayout> make_layout(const CsvForm& form, const std::vector<std::string_view>& header) {
  return form.wide() ? wide_layout(form, header) : long_layout(form, header);
}

TableCounter counter_named(DeviceKind kind, std::string_view name) {
  const CounterSpec* spec = find_counter(kind, name);
  return {std::string(name), spec == nullptr ? CounterForm::kComputedRate : spec->form};
}

namespace {

/// Takes a quoted field off `rest`, which starts at its opening quote.
bool take_quoted(std::string_view& rest, std::string_view& field, std::string& scratch) {
  const std::size_t start = scratch.size();
  std::size_t from = 1;
  while (true) {
    const std::size_t quote = rest.find('"', from);
    if (quote == std::string_view::npos) return false;
    const bool doubled = quote + 1 < rest.size() && rest[quote + 1] == '"';
    if (!doubled && from == 1) {
      field = rest.substr(1, quote - 1);
    } else {
      scratch.append(rest.substr(from, quote - from + (doubled ? 1 : 0)));
      field = std::string_view(scratch).substr(start);
    }
    from = quote + 2;
    if (doubled) continue;
    rest.remove_prefix(quote + 1);
    return true;
  }
}

/// Blanks that are no delimiters.
std::string_view skip_blanks(std::string_view text, char delimiter) {
  while (!text.empty() && text.front() != delimiter && (text.front() == ' ' || text.front() == '\t')) {
    text.remove_prefix(1);
  }
  return text;
}

bool same_word(std::string_view text, std::string_view lower) {
  return text.size() == lower.size() &&
         std::equal(text.begin(), text.end(), lower.begin(),
                    [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
}

bool is_missing(std::string_view text) {
  constexpr std::array<std::string_view, 4> kWords{"nan", "na", "n/a", "null"};
  return text.empty() || std::any_of(kWords.begin(), kWords.end(),
                                     [&](std::string_view word) { return same_word(text, word); });
}

FieldValue parse_whole(std::string_view text) {
  std::uint64_t whole = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, whole);
  if (error == std::errc{} && stop == end) return {ValueKind::kValue, whole};
  if (is_missing(text)) return {ValueKind::kMissing, 0};
  const std::optional<double> number = to_number<double>(text);
  if (!number || !std::isfinite(*number)) {
    return {error == std::errc::result_out_of_range ? ValueKind::kTooLarge : ValueKind::kNotANumber, 0};
  }
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (*number < 0) return {ValueKind::kNegative, 0};
  if (*number > kExact) return {ValueKind::kTooLarge, 0};
  if (*number != std::floor(*number)) return {ValueKind::kFraction, 0};
  return {ValueKind::kValue, static_cast<std::uint64_t>(*number)};
}

}  // namespace

bool split_fields(std::string_view line, std::vector<std::string_view>& fields, std::string& scratch,
                  char delimiter) {
  fields.clear();
  scratch.clear();
  scratch.reserve(line.size());  // views into it must stay
  std::string_view rest = line;
  while (true) {
    rest = skip_blanks(rest, delimiter);
    std::string_view field;
    if (!rest.empty() && rest.front() == '"') {
      if (!take_quoted(rest, field, scratch)) return false;
      rest = skip_blanks(rest, delimiter);
      if (!rest.empty() && rest.front() != delimiter) return false;
    } else {
      const std::size_t comma = std::min(rest.find(delimiter), rest.size());
      field = rest.substr(0, comma);
      while (!field.empty() && (field.back() == ' ' || field.back() == '\t')) field.remove_suffix(1);
      rest.remove_prefix(comma);
    }
    fields.push_back(field);
    if (rest.empty()) return true;
    rest.remove_prefix(1);
  }
}

FieldValue parse_scaled(std::string_view text, CounterForm form, double scale, char decimal) {
  std::string point;
  if (decimal != '.') {
    point = text;
    std::ranges::replace(point, decimal, '.');
    text = point;
  }
  if (scale == 1) return parse_value(text, form);
  const FieldValue value = parse_value(text, CounterForm::kComputedRate);
  if (value.kind != ValueKind::kValue) return value;
  const double scaled = std::bit_cast<double>(value.bits) * scale;
  if (form == CounterForm::kComputedRate) return {ValueKind::kValue, std::bit_cast<std::uint64_t>(scaled)};
  constexpr double kMost = 9007199254740992.0;  // 2^53: beyond that numbers are not exact
  if (scaled < 0) return {ValueKind::kNegative, 0};
  if (scaled > kMost) return {ValueKind::kTooLarge, 0};
  return {ValueKind::kValue, static_cast<std::uint64_t>(std::llround(scaled))};
}

FieldValue parse_value(std::string_view text, CounterForm form) {
  text = trim(text);
  if (form != CounterForm::kComputedRate) return parse_whole(text);
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc{} && stop == end && std::isfinite(number)) {
    return {ValueKind::kValue, std::bit_cast<std::uint64_t>(number)};
  }
  return {is_missing(text) ? ValueKind::kMissing : ValueKind::kNotANumber, 0};
}

}  // namespace laggard::collect
