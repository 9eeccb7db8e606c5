#include "report/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "base/missing.h"

namespace laggard::report {

namespace {

struct Step {
  double size;
  std::string_view suffix;
};
constexpr std::array<Step, 5> kTime{{{1e-9, " ns"}, {1e-6, " us"}, {1e-3, " ms"}, {1, " s"}, {1e300, ""}}};
constexpr std::array<Step, 6> kBytes{
    {{1, " B"}, {1e3, " kB"}, {1e6, " MB"}, {1e9, " GB"}, {1e12, " TB"}, {1e300, ""}}};
constexpr std::array<Step, 5> kCount{{{1, ""}, {1e3, "k"}, {1e6, "M"}, {1e9, "G"}, {1e300, ""}}};

/// Three significant digits without an exponent where a person expects none.
std::string digits(double value) {
  const double size = std::abs(value);
  if (size >= 99.95 || size == 0) return fmt::format("{:.0f}", value);
  if (size >= 1e-3) return fmt::format("{:.3g}", value);
  return fmt::format("{:.2g}", value);
}

/// The largest step that leaves at least 1 before the point, after rounding to three digits: 999.96 kB is
/// 1 MB and not 1000 kB. The last entry of `steps` is a sentinel.
std::string scaled(double value, std::span<const Step> steps) {
  std::size_t at = 0;
  while (at + 2 < steps.size() && std::abs(value) >= 0.9995 * steps[at + 1].size) ++at;
  if (value == 0) at = 0;
  return digits(value / steps[at].size) + std::string(steps[at].suffix);
}

std::optional<double> seconds_per(std::string_view unit) {
  if (unit == "s") return 1.0;
  if (unit == "ms") return 1e-3;
  if (unit == "us") return 1e-6;
  if (unit == "ns") return 1e-9;
  return std::nullopt;
}

}  // namespace

std::string humanise(double value) { return std::isfinite(value) ? scaled(value, kCount) : "-"; }

std::string humanise(double value, std::string_view unit) {
  if (!std::isfinite(value)) return "-";
  if (const auto seconds = seconds_per(unit)) {
    if (value == 0) return fmt::format("0 {}", unit);
    return scaled(value * *seconds, kTime);
  }
  if (unit == "bytes") return scaled(value, kBytes);
  if (unit == "bytes/s") return scaled(value, kBytes) + "/s";
  if (unit == "sectors") return scaled(value * 512, kBytes);
  if (unit == "sectors/s") return scaled(value * 512, kBytes) + "/s";
  if (unit.empty() || unit == "any") return humanise(value);
  return humanise(value) + " " + std::string(unit);
}

std::optional<std::string> ratio(std::optional<double> level, std::optional<double> peers) {
  if (!level || !peers || *peers == 0) return std::nullopt;
  const double times = *level / *peers;
  if (!std::isfinite(times)) return std::nullopt;
  if (times > 0 && times < 9.95) return fmt::format("{:.2g}x", times);
  constexpr double kMostWritten = 1e5;  // 1210x is read at a glance, 1.21kx is not.
  const double whole = std::round(times);
  return (std::abs(whole) < kMostWritten ? fmt::format("{:.0f}", whole) : humanise(whole)) + "x";
}

Clockface::Clockface(WallTime from, WallTime to)
    : one_day_(std::chrono::floor<std::chrono::days>(from) == std::chrono::floor<std::chrono::days>(to)) {}

std::string Clockface::dated(WallTime t) {
  std::string text = to_iso8601(std::chrono::floor<std::chrono::seconds>(t));
  std::ranges::replace(text, 'T', ' ');
  return text;
}

std::string Clockface::moment(WallTime t) const {
  const std::string text = dated(t);
  return one_day_ ? text.substr(text.find(' ') + 1) : text;
}

std::string Clockface::span(WallTime from, WallTime to) const {
  return fmt::format("{} to {}", moment(from), moment(to));
}

std::string coarse(Duration length) {
  using std::chrono::seconds;
  const Duration whole = std::chrono::floor<seconds>(length);
  if (whole >= std::chrono::days{1}) return laggard::to_text(std::chrono::floor<std::chrono::hours>(whole));
  if (whole >= std::chrono::hours{1})
    return laggard::to_text(std::chrono::floor<std::chrono::minutes>(whole));
  return laggard::to_text(whole);
}

double at_share(std::span<const double> sorted, double share) {
  if (sorted.empty()) return kMissing;
  const auto last = static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<std::size_t>(std::lround(share * last))];
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace laggard::report
