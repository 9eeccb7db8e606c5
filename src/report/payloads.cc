#include "report/payloads.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "base/terminal_text.h"
#include "report/html_parts.h"
#include "report/payload_drawings.h"
#include "report/quantity.h"

namespace laggard::report {

namespace {

/// How much of a payload is shown where people read it.
constexpr std::size_t kMostRows = 8;

template <typename... Ts>
struct Visitor : Ts... {
  using Ts::operator()...;
};
template <typename... Ts>
Visitor(Ts...) -> Visitor<Ts...>;

void write_numbers(JsonWriter& json, std::string_view name, const std::vector<double>& values) {
  json.key(name);
  json.begin_list();
  for (const double value : values) json.number(value);
  json.end_list();
}

void write_shape(JsonWriter& json, const SeriesPayload& series) {
  json.member("shape", "series");
  json.member("unit", series.unit);
  json.member("times", series.times);
  json.key("lines");
  json.begin_list();
  for (const SeriesPayload::Line& line : series.lines) {
    json.begin_object();
    json.member("name", line.name);
    write_numbers(json, "values", line.values);
    json.end_object();
  }
  json.end_list();
}

void write_shape(JsonWriter& json, const DistributionPayload& distribution) {
  json.member("shape", "distribution");
  json.member("unit", distribution.unit);
  json.key("samples");
  json.begin_list();
  for (const DistributionPayload::Sample& sample : distribution.samples) {
    json.begin_object();
    json.member("name", sample.name);
    write_numbers(json, "sorted", sample.sorted);
    json.end_object();
  }
  json.end_list();
}

void write_shape(JsonWriter& json, const TablePayload& table) {
  json.member("shape", "table");
  json.member("columns", table.columns);
  json.key("rows");
  json.begin_list();
  for (const std::vector<std::string>& row : table.rows) {
    json.begin_list();
    for (const std::string& cell : row) json.text(cell);
    json.end_list();
  }
  json.end_list();
}

void write_shape(JsonWriter& json, const RankedPayload& ranked) {
  json.member("shape", "ranked");
  json.member("unit", ranked.unit);
  json.key("entries");
  json.begin_list();
  for (const RankedPayload::Entry& entry : ranked.entries) {
    json.begin_object();
    json.member("name", entry.name);
    json.member("own", entry.own);
    json.member("peers", entry.peers);
    if (std::isfinite(entry.low) && std::isfinite(entry.high)) {
      json.member("low", entry.low);
      json.member("high", entry.high);
    }
    json.end_object();
  }
  json.end_list();
}

void write_shape(JsonWriter& json, const LinesPayload& lines) {
  json.member("shape", "lines");
  json.key("lines");
  json.begin_list();
  for (const LinesPayload::Line& line : lines.lines) {
    json.begin_object();
    json.member("time", line.time);
    json.member("text", line.text);
    json.end_object();
  }
  json.end_list();
}

void write_shape(JsonWriter& json, const GridPayload& grid) {
  json.member("shape", "grid");
  json.member("unit", grid.unit);
  json.member("row_kind", grid.row_kind);
  json.member("column_kind", grid.column_kind);
  json.member("rows", grid.rows);
  json.member("columns", grid.columns);
  write_numbers(json, "values", grid.values);
}

void write_shape(JsonWriter& json, const FlamesPayload& flames) {
  json.member("shape", "flames");
  json.member("unit", flames.unit);
  json.key("frames");
  json.begin_list();
  for (const FlamesPayload::Frame& frame : flames.frames) {
    json.begin_object();
    json.member("name", frame.name);
    json.integer_member("depth", static_cast<std::int64_t>(frame.depth));
    json.member("own", frame.own);
    json.member("peers", frame.peers);
    json.end_object();
  }
  json.end_list();
}

/// The payload as rows of text, which terminal and page draw in their own ways.
struct Sheet {
  std::vector<std::string> columns;  ///< Of numbers after the first one, unless `text`.
  std::vector<std::vector<std::string>> rows;
  bool text = false;
};

std::string quantile(const std::vector<double>& sorted, double share, std::string_view unit) {
  return sorted.empty() ? "" : humanise(at_share(sorted, share), unit);
}

std::vector<std::string> spread_of(const std::string& name, std::vector<double> values,
                                   std::string_view unit) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  std::ranges::sort(values);
  return {name, quantile(values, 0, unit), quantile(values, 0.5, unit), quantile(values, 0.9, unit),
          quantile(values, 1, unit)};
}

/// The interval where it is an estimate.
std::string with_interval(const RankedPayload::Entry& entry, std::string_view unit) {
  std::string own = humanise(entry.own, unit);
  if (!std::isfinite(entry.low) || !std::isfinite(entry.high)) return own;
  return fmt::format("{} ({} to {})", own, humanise(entry.low, unit), humanise(entry.high, unit));
}

/// The pairs with most of it.
Sheet sheet_of(const GridPayload& grid) {
  Sheet sheet{{grid.row_kind, grid.column_kind, ""}, {}, true};
  std::vector<std::size_t> cells;
  for (std::size_t i = 0; i < grid.values.size(); ++i) {
    if (grid.values[i] > 0) cells.push_back(i);
  }
  std::ranges::stable_sort(cells,
                           [&](std::size_t a, std::size_t b) { return grid.values[a] > grid.values[b]; });
  for (const std::size_t i : cells) {
    sheet.rows.push_back({grid.rows[i / grid.columns.size()], grid.columns[i % grid.columns.size()],
                          humanise(grid.values[i], grid.unit)});
  }
  return sheet;
}

Sheet sheet_of(const Payload& payload, const Clockface& clock) {
  const std::vector<std::string> spread{"", "least", "median", "90 %", "most"};
  return std::visit(Visitor{[&](const SeriesPayload& series) {
                              Sheet sheet{spread, {}};
                              for (const auto& [name, values] : series.lines) {
                                sheet.rows.push_back(spread_of(name, values, series.unit));
                              }
                              return sheet;
                            },
                            [&](const DistributionPayload& distribution) {
                              Sheet sheet{spread, {}};
                              for (const auto& [name, sorted] : distribution.samples) {
                                sheet.rows.push_back(spread_of(name, sorted, distribution.unit));
                              }
                              return sheet;
                            },
                            [&](const TablePayload& table) {
                              return Sheet{table.columns, table.rows, true};
                            },
                            [&](const RankedPayload& ranked) {
                              Sheet sheet{{"", "own", "peers"}, {}};
                              for (const RankedPayload::Entry& entry : ranked.entries) {
                                const bool alone = std::isnan(entry.peers);
                                sheet.rows.push_back({entry.name, with_interval(entry, ranked.unit),
                                                      alone ? "" : humanise(entry.peers, ranked.unit)});
                              }
                              return sheet;
                            },
                            [&](const LinesPayload& lines) {
                              Sheet sheet{{"time", "line"}, {}, true};
                              for (const auto& [time, text] : lines.lines) {
                                sheet.rows.push_back({clock.moment(time), text});
                              }
                              return sheet;
                            },
                            [&](const GridPayload& grid) { return sheet_of(grid); },
                            [](const FlamesPayload& /*flames*/) { return Sheet{}; }},
                    payload.shape);
}

/// What nobody would read as rows: pictures in time, and flame graphs, which evidence has beside a ranking.
bool is_only_drawn(const Payload& payload) {
  if (std::holds_alternative<FlamesPayload>(payload.shape)) return true;
  const auto* grid = std::get_if<GridPayload>(&payload.shape);
  return grid != nullptr && grid->in_time;
}

}  // namespace

void write(JsonWriter& json, const Payload& payload) {
  json.begin_object();
  json.member("title", payload.title);
  std::visit([&](const auto& shape) { write_shape(json, shape); }, payload.shape);
  json.end_object();
}

void put_payload(Page& page, const Payload& payload, const Clockface& clock, std::size_t indent) {
  if (is_only_drawn(payload)) return;
  const Sheet sheet = sheet_of(payload, clock);
  if (!payload.title.empty()) page.paragraph(printable(payload.title), indent, Ink::kDim);
  std::vector<Column> columns;
  for (std::size_t c = 0; c < sheet.columns.size(); ++c) {
    columns.push_back({printable(sheet.columns[c]), c > 0 && !sheet.text, kAlways});
  }
  Table table(std::move(columns));
  const std::size_t shown = shown_of(sheet.rows.size(), kMostRows);
  for (std::size_t r = 0; r < shown; ++r) {
    std::vector<std::string> cells;
    for (const std::string& cell : sheet.rows[r]) cells.push_back(printable(cell));
    table.add(std::move(cells));
  }
  page.table(table, indent);
  page.rest(sheet.rows.size() - shown, indent);
}

std::string payload_markup(const Payload& payload, const Clockface& clock) {
  const std::string drawn = std::visit([](const auto& shape) { return drawing(shape); }, payload.shape);
  // What a picture of thousands of cells says would be as many lines.
  const bool has_rows = std::holds_alternative<GridPayload>(payload.shape)
                            ? drawn.empty()
                            : !std::holds_alternative<FlamesPayload>(payload.shape);
  if (drawn.empty() && !has_rows) return "";
  std::string out;
  if (!payload.title.empty()) out += fmt::format("<h4>{}</h4>\n", html_escape(payload.title));
  out += drawn;
  if (!has_rows) return out;
  const Sheet sheet = sheet_of(payload, clock);
  out += "<div class=\"scroll\"><table>\n<thead><tr>";
  const auto kind = [&](std::size_t c) { return c > 0 && !sheet.text ? " class=\"n\"" : ""; };
  for (std::size_t c = 0; c < sheet.columns.size(); ++c) {
    out += fmt::format("<th{}>{}</th>", kind(c), html_escape(sheet.columns[c]));
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const std::vector<std::string>& row : sheet.rows) {
    out += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c)
      out += fmt::format("<td{}>{}</td>", kind(c), html_escape(row[c]));
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

}  // namespace laggard::report
