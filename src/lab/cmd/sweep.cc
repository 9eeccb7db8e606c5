#include "lab/cmd/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "base/error.h"

namespace laggard::lab {

namespace {

/// One constant: F's value, the others that F tried, and how to set it in a method.
struct Swept {
  std::string_view what;
  double own;
  std::vector<double> others;
  std::function<void(MethodSpec&, double)> set;
};

const std::vector<Swept>& all_swept() {
  const auto count = [](double value) { return static_cast<std::size_t>(value); };
  static const std::vector<Swept> all{
      {swept::kSmoothing,
       5,
       {1, 3, 7, 9},
       [=](MethodSpec& m, double n) { m.preset.windows.smoothing = count(n); }},
      {swept::kFilter, 3, {1, 2, 5, 7, 8}, [=](MethodSpec& m, double n) { m.preset.windows.k = count(n); }},
      {swept::kSize,
       64,
       {32, 48, 80, 96, 112, 128},
       [=](MethodSpec& m, double n) { m.preset.windows.size = count(n); }},
      {swept::kShift,
       32,
       {16, 24, 40, 48, 56, 64},
       [=](MethodSpec& m, double n) { m.preset.windows.shift = count(n); }},
      {swept::kFactor, 2, {1, 1.5, 3, 4}, [](MethodSpec& m, double factor) { m.preset.factor = factor; }},
      {swept::kCongestion,
       31,
       {1, 5, 9, 19},
       [](MethodSpec& m, double seconds) { m.congestion_seconds = seconds; }},
  };
  return all;
}

std::string name_of(std::string_view what, double value) { return fmt::format("{} {}", what, value); }

}  // namespace

std::vector<MethodSpec> sensitivity_sweep() {
  std::vector<MethodSpec> methods{one_client_method()};
  for (const Swept& swept : all_swept()) {
    for (const double value : swept.others) {
      MethodSpec method = one_client_method();
      method.name = name_of(swept.what, value);
      swept.set(method, value);
      methods.push_back(method);
    }
  }
  return methods;
}

std::string setting_name(std::string_view what, double value) {
  for (const Swept& swept : all_swept()) {
    if (swept.what == what && swept.own == value) return one_client_method().name;
  }
  return name_of(what, value);
}

namespace {

constexpr double kAny = std::numeric_limits<double>::infinity();

/// What F §11.2 says of one rate, in per cent, or of how it differs from that of another value.
struct Stated {
  std::string_view what;
  std::vector<double> values;  ///< F says it of all of them.
  std::optional<double> less;  ///< Of the difference from this value.
  std::string_view rate;
  double low = 0;
  double high = 0;
};

const std::vector<Stated>& all_stated() {
  const std::vector<double> filters{3, 5, 7};
  const std::vector<double> spans{5, 9, 19, 31};
  const std::vector<double> sizes{48, 64, 80, 96, 112, 128};
  const std::vector<double> shifts{32, 40, 48, 56, 64};
  const std::vector<double> averages{1, 3, 7, 9};
  static const std::vector<Stated> all{
      {swept::kSmoothing, {5}, {}, "ITP", 70, 70},      {swept::kSmoothing, {5}, {}, "IFP", 2.4, 2.4},
      {swept::kSmoothing, {5}, {}, "DTP", 64.9, 64.9},  {swept::kSmoothing, {5}, {}, "DFP", 6.7, 6.7},
      {swept::kSmoothing, {1}, {}, "ITP", 79, 79},      {swept::kSmoothing, {1}, {}, "DFP", 10, 10},
      {swept::kSmoothing, {9}, {}, "DTP", 58.3, 58.3},  {swept::kSmoothing, {9}, {}, "DFP", 11, 11},
      {swept::kSmoothing, averages, 5, "IFP", 0, kAny}, {swept::kSmoothing, averages, 5, "DFP", 0, kAny},
      {swept::kFilter, filters, 1, "ITP", 6, 6},        {swept::kFilter, filters, 1, "IFP", -1, -1},
      {swept::kFilter, filters, 1, "DTP", 6, 6},        {swept::kFilter, filters, 1, "DFP", -1, -1},
      {swept::kFilter, {8}, 7, "ITP", -kAny, 0},        {swept::kFilter, {8}, 7, "DFP", 0, kAny},
      {swept::kCongestion, spans, 1, "ITP", 8, 8},      {swept::kCongestion, spans, 1, "IFP", -1, -1},
      {swept::kCongestion, spans, 1, "DTP", 8, 8},      {swept::kCongestion, spans, 1, "DFP", -1, -1},
      {swept::kSize, sizes, {}, "DTP", 62, 66},         {swept::kSize, sizes, {}, "DFP", 6, 9},
      {swept::kShift, shifts, {}, "DTP", 62, 66},       {swept::kShift, shifts, {}, "DFP", 6, 9},
      {swept::kFactor, {1}, {}, "IFP", 19, 19},         {swept::kFactor, {1}, {}, "DFP", 23, 23},
      {swept::kFactor, {1.5}, {}, "IFP", 3, 3},         {swept::kFactor, {1.5}, {}, "DFP", 8, 8},
      {swept::kFactor, {4}, {}, "ITP", 54, 54},         {swept::kFactor, {4}, {}, "IFP", 2, 2},
      {swept::kFactor, {4}, {}, "DTP", 48, 48},         {swept::kFactor, {4}, {}, "DFP", 7, 7},
  };
  return all;
}

const Proportion& rate_of(const Rates& rates, std::string_view rate) {
  if (rate == "ITP") return rates.itp;
  if (rate == "IFP") return rates.ifp;
  if (rate == "DTP") return rates.dtp;
  LAGGARD_CHECK(rate == "DFP");
  return rates.dfp;
}

/// A rate or a difference of two, in per cent, with its 95 % interval.
struct Estimate {
  double value;
  Interval interval;
};

Estimate estimate(const Proportion& p) {
  const Interval i = p.interval();
  return {p.percent(), {100 * i.low, 100 * i.high}};
}

/// By Newcombe 1998's tenth method, with Clopper and Pearson's limits. Both rates are of the same runs, which
/// it does not know: the interval is wider than it needs to be.
Estimate operator-(const Estimate& a, const Estimate& b) {
  const double value = a.value - b.value;
  return {value,
          {value - std::hypot(a.value - a.interval.low, b.interval.high - b.value),
           value + std::hypot(a.interval.high - a.value, b.value - b.interval.low)}};
}

const SweepRow* row_of(const std::vector<SweepRow>& rows, std::string_view what, double value) {
  const auto row = std::ranges::find(rows, setting_name(what, value), &SweepRow::name);
  return row == rows.end() ? nullptr : &*row;
}

/// Of all values that F speaks of; empty when one of them was not tried.
std::vector<Estimate> estimates_of(const Stated& stated, const std::vector<SweepRow>& rows) {
  const SweepRow* const base = stated.less ? row_of(rows, stated.what, *stated.less) : nullptr;
  if (stated.less && base == nullptr) return {};
  std::vector<Estimate> found;
  for (const double value : stated.values) {
    const SweepRow* const row = row_of(rows, stated.what, value);
    if (row == nullptr) return {};
    Estimate one = estimate(rate_of(row->rates, stated.rate));
    if (base != nullptr) one = one - estimate(rate_of(base->rates, stated.rate));
    found.push_back(one);
  }
  return found;
}

std::string setting_of(const Stated& stated) {
  std::string text = fmt::format("{} {}", stated.what, fmt::join(stated.values, ", "));
  if (stated.less) text += fmt::format(" less {}", *stated.less);
  return text;
}

}  // namespace

std::vector<SweepRow> over_all_clusters(const std::vector<ClusterResults>& results) {
  std::vector<SweepRow> rows;
  for (const ClusterResults& cluster : results) {
    for (const MethodResults& method : cluster.methods) {
      auto row = std::ranges::find(rows, method.name, &SweepRow::name);
      if (row == rows.end()) row = rows.insert(rows.end(), {method.name, {}});
      row->rates.add(method.tally.aggregate);
    }
  }
  return rows;
}

std::vector<SweepFigure> compare_with_paper(const std::vector<SweepRow>& rows) {
  constexpr double kRounding = 0.5;  // F gives most of them in whole per cent.
  std::vector<SweepFigure> figures;
  for (const Stated& stated : all_stated()) {
    const std::vector<Estimate> found = estimates_of(stated, rows);
    if (found.empty()) continue;
    const auto [least, most] = std::ranges::minmax(found, {}, &Estimate::value);
    SweepFigure figure{setting_of(stated),        stated.rate, {stated.low, stated.high},
                       {least.value, most.value}, {},          {}};
    figure.interval = {least.interval.low, most.interval.high};
    figure.holds = std::ranges::all_of(found, [&](const Estimate& one) {
      return one.interval.low <= stated.high + kRounding && one.interval.high >= stated.low - kRounding;
    });
    figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace laggard::lab
