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
#include "base/time.h"

namespace laggard::collect {

namespace {

constexpr std::array<std::string_view, 6> kLongColumns{"time", "host", "kind", "device", "counter", "value"};

using Header = std::vector<std::string_view>;

tl::unexpected<Error> bad_header(std::string what) { return fail(ErrorCode::kBadInput, "", std::move(what)); }

std::string quoted_list(const Header& header) { return fmt::format("`{}`", fmt::join(header, ",")); }

Result<std::size_t> find_column(const Header& header, std::string_view name) {
  const auto found = std::find(header.begin(), header.end(), name);
  if (found == header.end()) {
    return bad_header(fmt::format("there is no column `{}`; the file has {}", name, quoted_list(header)));
  }
  if (std::find(found + 1, header.end(), name) != header.end()) {
    return bad_header(fmt::format("the column `{}` is there twice", name));
  }
  return static_cast<std::size_t>(found - header.begin());
}

Result<CsvLayout> long_layout(const Header& header) {
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
  layout.canonical = std::equal(header.begin(), header.end(), kLongColumns.begin(), kLongColumns.end());
  return layout;
}

Status add_values(const CsvForm& form, bool cumulative, const Header& header, CsvLayout& layout) {
  for (const std::string& name : cumulative ? form.counters : form.gauges) {
    Result<std::size_t> place = find_column(header, name);
    if (!place) return forward(place);
    const CounterForm counter_form = cumulative ? CounterForm::kCumulative : CounterForm::kComputedRate;
    layout.values.push_back({*place, {name, counter_form}});
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
  return form.wide() ? wide_layout(form, header) : long_layout(header);
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

std::string_view skip_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
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

/// Unix seconds as plain digits with at most nine digits of fraction, which is how nearly all times are
/// written. Nothing beyond the year 2262, where nanoseconds end: `parse_time` refuses those.
std::optional<std::int64_t> plain_seconds(std::string_view text) {
  constexpr std::size_t kMostDigits = 10;
  constexpr std::int64_t kMostSeconds = std::numeric_limits<std::int64_t>::max() / 1'000'000'000 - 1;
  std::int64_t seconds = 0;
  std::size_t i = 0;
  for (; i < text.size() && i <= kMostDigits && text[i] >= '0' && text[i] <= '9'; ++i) {
    seconds = seconds * 10 + (text[i] - '0');
  }
  if (i == 0 || i > kMostDigits || seconds > kMostSeconds) return std::nullopt;
  std::int64_t ns = seconds * 1'000'000'000;
  if (i == text.size()) return ns;
  if (text[i++] != '.' || i == text.size() || text.size() - i > 9) return std::nullopt;
  std::int64_t unit = 100'000'000;
  for (; i < text.size(); ++i, unit /= 10) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    ns += (text[i] - '0') * unit;
  }
  return ns;
}

}  // namespace

bool split_fields(std::string_view line, std::vector<std::string_view>& fields, std::string& scratch) {
  fields.clear();
  scratch.clear();
  scratch.reserve(line.size());  // views into it must stay
  std::string_view rest = line;
  while (true) {
    rest = skip_blanks(rest);
    std::string_view field;
    if (!rest.empty() && rest.front() == '"') {
      if (!take_quoted(rest, field, scratch)) return false;
      rest = skip_blanks(rest);
      if (!rest.empty() && rest.front() != ',') return false;
    } else {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      field = rest.substr(0, comma);
      while (!field.empty() && (field.back() == ' ' || field.back() == '\t')) field.remove_suffix(1);
      rest.remove_prefix(comma);
    }
    fields.push_back(field);
    if (rest.empty()) return true;
    rest.remove_prefix(1);
  }
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

std::optional<WallTime> parse_moment(std::string_view text, std::string& why) {
  constexpr std::int64_t kEnd = to_unix_ns(kLatestTime);
  text = trim(text);
  if (const std::optional<std::int64_t> ns = plain_seconds(text); ns && *ns < kEnd) return from_unix_ns(*ns);
  const bool digits = std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (digits && text.size() > 10) {
    why = fmt::format("time `{}` is beyond the year 2100; are these milliseconds instead of seconds?", text);
    return std::nullopt;
  }
  const Result<WallTime> parsed = parse_time(text);
  if (!parsed) {
    why = parsed.error().what;
    return std::nullopt;
  }
  if (to_unix_ns(*parsed) < 0 || to_unix_ns(*parsed) >= kEnd) {
    why = fmt::format("time `{}` is outside of 1970 to 2100", text);
    return std::nullopt;
  }
  return *parsed;
}

}  // namespace laggard::collect
