#include "collect/import/csv/layout.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

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
    const CounterForm counter_form = cumulative ? CounterForm::kCumulative : CounterForm::kGauge;
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

Status CsvForm::check() const {
  if (!wide()) return {};
  if (time.empty())
    return fail(ErrorCode::kBadUse, "", "a wide file needs --time with the name of its time column");
  if (component.empty()) {
    return fail(ErrorCode::kBadUse, "",
                "a wide file needs --component with the column that names the device");
  }
  if (host.empty() == host_column.empty()) {
    return fail(ErrorCode::kBadUse, "",
                host.empty()
                    ? "a wide file needs --host with the host's name, or --host-column with its column"
                    : "--host and --host-column exclude each other");
  }
  if (gauges.empty() && counters.empty()) {
    return fail(ErrorCode::kBadUse, "", "a wide file needs --gauge or --counter with the columns to import");
  }
  for (const std::string& name : gauges) {
    if (std::find(counters.begin(), counters.end(), name) == counters.end()) continue;
    return fail(ErrorCode::kBadUse, "", fmt::format("`{}` is named by --gauge and by --counter", name));
  }
  return {};
}

Result<CsvLayout> make_layout(const CsvForm& form, const std::vector<std::string_view>& header) {
  return form.wide() ? wide_layout(form, header) : long_layout(header);
}

TableCounter counter_named(DeviceKind kind, std::string_view name) {
  const CounterSpec* spec = find_counter(kind, name);
  return {std::string(name), spec == nullptr ? CounterForm::kGauge : spec->form};
}

}  // namespace laggard::collect
