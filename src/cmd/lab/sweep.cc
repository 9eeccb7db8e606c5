#include "cmd/lab/sweep.h"

#include <fmt/format.h>

#include <array>

namespace laggard::cmd {

namespace {

template <typename Values, typename Change>
void vary(std::vector<MethodSpec>& methods, std::string_view what, const Values& values,
          const Change& change) {
  for (const auto value : values) {
    MethodSpec method = paper_method();
    method.name = fmt::format("{} {}", what, value);
    change(method, value);
    methods.push_back(method);
  }
}

}  // namespace

std::vector<MethodSpec> sensitivity_sweep() {
  using Counts = std::vector<std::size_t>;
  std::vector<MethodSpec> methods{paper_method()};
  vary(methods, "moving average", Counts{1, 3, 7, 9},
       [](MethodSpec& method, std::size_t n) { method.preset.windows.smoothing = n; });
  vary(methods, "k", Counts{1, 2, 5, 7, 8},
       [](MethodSpec& method, std::size_t n) { method.preset.windows.k = n; });
  vary(methods, "WinSize", Counts{32, 48, 80, 96, 112, 128},
       [](MethodSpec& method, std::size_t n) { method.preset.windows.size = n; });
  vary(methods, "WinShift", Counts{16, 24, 40, 48, 56, 64},
       [](MethodSpec& method, std::size_t n) { method.preset.windows.shift = n; });
  vary(methods, "threshold factor", std::array{1.0, 1.5, 3.0, 4.0},
       [](MethodSpec& method, double factor) { method.preset.factor = factor; });
  vary(methods, "cwnd span", std::array{1.0, 5.0, 9.0, 19.0},
       [](MethodSpec& method, double seconds) { method.congestion_seconds = seconds; });
  return methods;
}

}  // namespace laggard::cmd
