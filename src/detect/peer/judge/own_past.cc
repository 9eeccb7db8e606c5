#include "detect/peer/judge/own_past.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/missing.h"
#include "stats/missing_values.h"

namespace laggard::detect {

namespace {

/// From a median absolute deviation to a standard deviation, of normal numbers.
constexpr double kToSigma = 1.4826;

/// Fewer windows, of which some may hold the beginning of a fault, do not tell how they differ.
constexpr std::size_t kLeastOfOwn = 10;

std::vector<double> beside_others(std::span<const double> values) {
  const stats::MedianOfOthers others(values);
  std::vector<double> ratios;
  for (const double value : values) ratios.push_back(value / others.without(value));
  return ratios;
}

/// The standard deviation of the logarithms.
double log_deviation(std::vector<double> values, double median) {
  for (double& value : values) value = std::abs(std::log(value / median));
  return kToSigma * stats::median_of(values);
}

auto among(std::span<const std::int64_t> positions) {
  return [positions](std::int64_t position) { return std::ranges::binary_search(positions, position); };
}

auto before(std::span<const std::int64_t> positions) {
  return [positions](std::int64_t position) { return position < positions.front(); };
}

}  // namespace

void OwnPast::add(std::int64_t position, std::span<const double> slowdown, std::span<const double> read) {
  if (slowdown.empty()) return;
  LAGGARD_CHECK(slowdown.size() == members_);
  if (windows_.size() == kMostWindows) windows_.pop_front();
  windows_.push_back({position, {slowdown.begin(), slowdown.end()}, beside_others(read)});
  windows_.back().read.resize(members_, kMissing);
}

void OwnPast::leave_out(std::size_t member) {
  if (windows_.empty()) return;
  windows_.back().slowdown[member] = kMissing;
  windows_.back().read[member] = kMissing;
}

void OwnPast::repaired(std::size_t member) {
  for (Window& window : windows_) window.slowdown[member] = window.read[member] = kMissing;
}

template <class Wanted>
std::vector<double> OwnPast::of(std::size_t member, Row row, const Wanted& wanted) const {
  std::vector<double> values;
  for (const Window& window : windows_) {
    if (wanted(window.position)) values.push_back((window.*row)[member]);
  }
  return values;
}

bool OwnPast::has_changed(std::size_t member, Row row, std::span<const std::int64_t> positions) const {
  const auto change = [&](std::size_t i) {
    return std::log(stats::median_of(of(i, row, among(positions))) /
                    stats::median_of(of(i, row, before(positions))));
  };
  const double own = change(member);
  if (!(own >= std::log(options_.least_change))) return false;
  const std::vector<double> past = of(member, row, before(positions));
  if (past.size() >= kLeastOfOwn && own < options_.own_sigmas * log_deviation(past, stats::median_of(past))) {
    return false;
  }
  std::vector<double> others;
  for (std::size_t i = 0; i < members_; ++i) {
    if (i != member) others.push_back(std::abs(change(i)));
  }
  return !(own < options_.sigmas * kToSigma * stats::median_of(others));
}

bool OwnPast::as_ever(std::size_t member, std::span<const std::int64_t> positions) const {
  if (positions.empty()) return false;
  const double slowdown = stats::median_of(of(member, &Window::slowdown, among(positions)));
  const double at_first =
      std::fmin(slowdown, stats::median_of(of(member, &Window::slowdown, before(positions))));
  if (std::isnan(slowdown) || at_first >= options_.slowdown) return false;
  return !has_changed(member, &Window::slowdown, positions) && !has_changed(member, &Window::read, positions);
}

}  // namespace laggard::detect
