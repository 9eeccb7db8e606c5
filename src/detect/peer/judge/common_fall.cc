#include "detect/peer/judge/common_fall.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "stats/missing_values.h"

namespace laggard::detect {

namespace {

using Levels = std::span<const MovedHistory::Level>;

double median_of(Levels levels) {
  std::vector<double> values;
  for (const MovedHistory::Level& level : levels) values.push_back(level.value);
  return stats::median_of(values);
}

bool is_steady(Levels levels, double middle, double share) {
  const auto near = std::ranges::count_if(levels, [&](const MovedHistory::Level& level) {
    return std::abs(level.value - middle) <= share * middle;
  });
  return 4 * static_cast<std::size_t>(near) >= 3 * levels.size();
}

/// Those that overlap with windows [from, to].
Levels within(Levels levels, std::int64_t from, std::int64_t to) {
  const auto begin = std::ranges::lower_bound(levels, from, {}, &MovedHistory::Level::last);
  const auto end = std::ranges::upper_bound(levels, to, {}, &MovedHistory::Level::first);
  return begin < end ? Levels(begin, end) : Levels{};
}

/// The first of `moved` from `begin` on that does not belong to a fall below `most`: it is above that, or
/// nothing is known of the windows before it.
std::size_t end_of(Levels moved, std::size_t begin, double most) {
  std::size_t end = begin;
  while (end < moved.size() && moved[end].value <= most &&
         (end == begin || moved[end].first == moved[end - 1].last + 1)) {
    ++end;
  }
  return end;
}

}  // namespace

std::vector<CommonFall> common_falls(Levels moved, Levels asked, std::size_t least,
                                     const CommonFallLimits& limits) {
  std::vector<CommonFall> falls;
  for (std::size_t begin = limits.least_before; begin < moved.size(); ++begin) {
    if (moved[begin].first != moved[begin - 1].last + 1) continue;  // Nothing is known of just before.
    const std::size_t back = std::min(limits.before, begin);
    const Levels past = moved.subspan(begin - back, back);
    const double before = median_of(past);
    const double most = (1 - limits.slower) * before;
    // What was slow already did not become slow now: its beginning is elsewhere, or was not seen.
    if (!(before > 0) || past.back().value <= most || !is_steady(past, before, limits.steady)) continue;
    const std::size_t end = end_of(moved, begin, most);
    const std::int64_t from = moved[begin].first;
    if (end == begin) continue;
    const std::int64_t to = moved[end - 1].last;
    if (to - from + 1 < static_cast<std::int64_t>(least)) continue;
    const double during = median_of(moved.subspan(begin, end - begin));
    if (!(during <= (1 - limits.fall) * before)) continue;
    const Levels asked_before = within(asked, past.front().first, past.back().last);
    const Levels asked_during = within(asked, from, to);
    if (asked_before.empty() || asked_during.empty()) continue;
    const double need = limits.asked * median_of(asked_before);
    if (!(need > 0) || !(median_of(asked_during) >= need)) continue;
    falls.push_back({from, to, before, during, end < moved.size()});
    begin = end - 1;
  }
  return falls;
}

}  // namespace laggard::detect
