#include "lab/cmd/sweep.h"

#include <fmt/format.h>

#include <array>
#include <functional>

namespace laggard::lab {

namespace {

/// One constant, F's own value of it, the others that F tried, and how a method is told.
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
  std::vector<MethodSpec> methods{paper_method()};
  for (const Swept& swept : all_swept()) {
    for (const double value : swept.others) {
      MethodSpec method = paper_method();
      method.name = name_of(swept.what, value);
      swept.set(method, value);
      methods.push_back(method);
    }
  }
  return methods;
}

std::string setting_name(std::string_view what, double value) {
  for (const Swept& swept : all_swept()) {
    if (swept.what == what && swept.own == value) return paper_method().name;
  }
  return name_of(what, value);
}

}  // namespace laggard::lab
