#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/cmd/method.h"

namespace laggard::lab {

/// F §11.2's sensitivity study: the paper's method with one constant at a time moved through the range that F
/// tries; the first is F's own setting.
[[nodiscard]] std::vector<MethodSpec> sensitivity_sweep();

/// What a sweep moves, as its methods are called: "k 5".
namespace swept {
inline constexpr std::string_view kSmoothing = "moving average";
inline constexpr std::string_view kFilter = "k";
inline constexpr std::string_view kSize = "WinSize";
inline constexpr std::string_view kShift = "WinShift";
inline constexpr std::string_view kFactor = "threshold factor";
inline constexpr std::string_view kCongestion = "cwnd span";
}  // namespace swept

/// Name of the method with that constant at that value; that of F's own method where the value is F's.
[[nodiscard]] std::string setting_name(std::string_view what, double value);

}  // namespace laggard::lab
