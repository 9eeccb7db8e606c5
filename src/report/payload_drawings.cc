#include "report/payload_drawings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "report/html_parts.h"
#include "report/quantity.h"

namespace laggard::report {

namespace {

constexpr double kWidth = 640;

/// Shares of values in bins whose bounds grow by the same factor.
struct LogBins {
  static constexpr std::size_t kBins = 48;
  double least = 0;
  double most = 0;

  [[nodiscard]] double step() const { return std::log(most / least) / static_cast<double>(kBins); }
  [[nodiscard]] std::array<double, kBins> shares(const std::vector<double>& values) const {
    std::array<double, kBins> shares{};
    for (const double value : values) {
      const double place = std::log(std::max(value, least) / least) / step();
      shares[std::min(kBins - 1, static_cast<std::size_t>(place))] += 1 / static_cast<double>(values.size());
    }
    return shares;
  }
};

/// Nothing below a millionth of the largest is told apart.
LogBins bins_of(const DistributionPayload& distribution) {
  LogBins bins;
  bins.least = std::numeric_limits<double>::infinity();
  for (const auto& [name, sorted] : distribution.samples) {
    for (const double value : sorted) {
      if (!(value > 0) || !std::isfinite(value)) continue;
      bins.least = std::min(bins.least, value);
      bins.most = std::max(bins.most, value);
    }
  }
  bins.least = std::max(bins.least, bins.most * 1e-6);
  return bins;
}

/// The rows or columns whose values add up to most, in their own order.
std::vector<std::size_t> loudest(const std::vector<double>& sums, std::size_t most) {
  std::vector<std::size_t> order(sums.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return sums[a] > sums[b]; });
  order.resize(std::min(order.size(), most));
  std::erase_if(order, [&](std::size_t i) { return !(sums[i] > 0); });
  std::ranges::sort(order);
  return order;
}

constexpr double kGridNames = 110;
constexpr double kGridHead = 16;
constexpr double kGridRow = 13;

double column_width(const GridPayload& grid) {
  return (kWidth - kGridNames) / static_cast<double>(grid.columns.size());
}

/// The names of those columns that have most, or of the ends of an axis of time, as far as there is room.
std::string column_names(const GridPayload& grid, const std::vector<double>& of_column) {
  constexpr std::size_t kMostNamed = 6;
  constexpr std::size_t kMostName = 20;
  constexpr double kNameWide = 120;
  const std::size_t n = grid.columns.size();
  const std::vector<std::size_t> named =
      grid.in_time ? std::vector<std::size_t>{0, n / 2, n - 1} : loudest(of_column, kMostNamed);
  std::string out;
  double free_from = kGridNames;
  for (const std::size_t c : named) {
    const double x = kGridNames + column_width(grid) * static_cast<double>(c);
    if (x < free_from) continue;
    const std::string name = shortened(grid.columns[c], kMostName);
    const bool at_end = x + kNameWide > kWidth;
    out += svg_text(at_end ? kWidth : x, kGridHead - 4, name, at_end ? "end" : "start");
    free_from = x + kNameWide;
  }
  return out;
}

std::string grid_row(const GridPayload& grid, std::size_t r, double most) {
  constexpr std::size_t kMostName = 15;
  const double y = kGridHead + kGridRow * static_cast<double>(r);
  std::string out = svg_text(0, y + 10, shortened(grid.rows[r], kMostName));
  out += fmt::format("<rect class=\"none\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n",
                     kGridNames, y, kWidth - kGridNames, kGridRow - 1);
  for (std::size_t c = 0; c < grid.columns.size(); ++c) {
    const double value = grid.values[r * grid.columns.size() + c];
    const bool missing = !std::isfinite(value);
    if (!missing && value <= 0) continue;
    const double wide = column_width(grid);
    out += fmt::format(
        "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\"{}><title>{}, {}: "
        "{}</title></rect>\n",
        missing ? "missing" : "much", kGridNames + wide * static_cast<double>(c), y, wide, kGridRow - 1,
        missing ? "" : fmt::format(" fill-opacity=\"{:.2f}\"", 0.15 + 0.85 * value / most),
        html_escape(grid.rows[r]), html_escape(grid.columns[c]),
        missing ? "not known" : html_escape(humanise(value, grid.unit)));
  }
  return out;
}

}  // namespace

std::string drawing(const SeriesPayload& series) {
  constexpr double kHeight = 85;
  double most = 0;
  for (const auto& [name, values] : series.lines) {
    for (const double value : values) most = std::isfinite(value) ? std::max(most, value) : most;
  }
  if (series.times.size() < 2 || most <= 0) return "";
  const double length = to_seconds(series.times.back() - series.times.front());
  std::string out = svg_begin({kWidth, kHeight}, "lines");
  for (std::size_t l = series.lines.size(); l-- > 0;) {
    std::string points;
    for (std::size_t t = 0; t < series.times.size(); ++t) {
      const double value = series.lines[l].values[t];
      if (!std::isfinite(value)) continue;
      points +=
          fmt::format("{:.1f},{:.1f} ", kWidth * to_seconds(series.times[t] - series.times.front()) / length,
                      kHeight * (1 - value / most));
    }
    out += fmt::format("<polyline class=\"{}\" points=\"{}\"/>\n", l == 0 ? "sick" : "peer", points);
  }
  return out + "</svg>\n";
}

std::string drawing(const DistributionPayload& distribution) {
  constexpr double kHeight = 120;
  constexpr double kFoot = 18;
  const LogBins bins = bins_of(distribution);
  if (!(bins.most > bins.least)) return "";
  std::vector<std::array<double, LogBins::kBins>> all;
  double highest = 0;
  for (const auto& [name, sorted] : distribution.samples) {
    all.push_back(bins.shares(sorted));
    highest = std::max(highest, std::ranges::max(all.back()));
  }
  std::string out = svg_begin({kWidth, kHeight + kFoot}, "distribution");
  const double wide = kWidth / static_cast<double>(LogBins::kBins);
  for (std::size_t s = all.size(); s-- > 0;) {
    std::string points = fmt::format("0,{:.1f} ", kHeight);
    for (std::size_t b = 0; b < LogBins::kBins; ++b) {
      const double y = kHeight * (1 - all[s][b] / highest);
      const auto left = static_cast<double>(b) * wide;
      points += fmt::format("{:.1f},{:.1f} {:.1f},{:.1f} ", left, y, left + wide, y);
    }
    points += fmt::format("{:.1f},{:.1f}", kWidth, kHeight);
    out += fmt::format("<polyline class=\"{}\" points=\"{}\"><title>{}</title></polyline>\n",
                       s == 0 ? "sick area" : "peer", points, html_escape(distribution.samples[s].name));
  }
  constexpr int kMarks = 4;
  for (int mark = 0; mark <= kMarks; ++mark) {
    const double share = static_cast<double>(mark) / kMarks;
    out += svg_text(kWidth * share, kHeight + kFoot - 4,
                    humanise(bins.least * std::pow(bins.most / bins.least, share), distribution.unit),
                    mark == 0        ? "start"
                    : mark == kMarks ? "end"
                                     : "middle");
  }
  return out + "</svg>\n";
}

std::string drawing(const RankedPayload& ranked) {
  constexpr double kRow = 20;
  constexpr double kNames = 190;
  double most = 0;
  bool any = false;
  for (const RankedPayload::Entry& entry : ranked.entries) {
    const bool estimate = std::isfinite(entry.low) && std::isfinite(entry.high);
    any = any || estimate;
    for (const double value : {entry.own, entry.high}) {
      if (std::isfinite(value)) most = std::max(most, value);
    }
  }
  if (!any || most <= 0) return "";
  std::string out = svg_begin({kWidth, kRow * static_cast<double>(ranked.entries.size())}, "bars");
  const double scale = (kWidth - kNames - 8) / most;
  double y = 0;
  for (const RankedPayload::Entry& entry : ranked.entries) {
    out += svg_text(0, y + 14, shortened(entry.name, 28));
    if (std::isfinite(entry.own)) {
      out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"10\"/>\n", kNames, y + 5,
                         std::max(0.0, entry.own) * scale);
    }
    if (std::isfinite(entry.low) && std::isfinite(entry.high)) {
      out += fmt::format(
          "<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"><title>{} to {}</title></line>\n",
          kNames + std::max(0.0, entry.low) * scale, kNames + entry.high * scale, y + 10, y + 10,
          html_escape(humanise(entry.low, ranked.unit)), html_escape(humanise(entry.high, ranked.unit)));
    }
    y += kRow;
  }
  return out + "</svg>\n";
}

std::string drawing(const GridPayload& grid) {
  const std::size_t n = grid.columns.size();
  double most = 0;
  std::vector<double> of_column(n);
  for (std::size_t i = 0; i < grid.values.size(); ++i) {
    if (!std::isfinite(grid.values[i])) continue;
    most = std::max(most, grid.values[i]);
    of_column[i % n] += grid.values[i];
  }
  if (most <= 0) return "";
  std::string out = svg_begin({kWidth, kGridHead + kGridRow * static_cast<double>(grid.rows.size())}, "grid");
  out += column_names(grid, of_column);
  for (std::size_t r = 0; r < grid.rows.size(); ++r) out += grid_row(grid, r, most);
  return out + "</svg>\n";
}

}  // namespace laggard::report
