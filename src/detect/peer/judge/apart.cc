#include "detect/peer/judge/apart.h"

#include <algorithm>
#include <cmath>

#include "stats/missing_values.h"

namespace laggard::detect {

namespace {

constexpr std::size_t kLeastApart = 2;
constexpr double kMostAsked = 1.5;

struct Member {
  double level = 0;
  std::uint32_t index = 0;
};
using Members = std::span<const Member>;

double median_requests(Members members, std::span<const double> requests) {
  std::vector<double> of;
  of.reserve(members.size());
  for (const Member& member : members) of.push_back(requests[member.index]);
  return stats::median_of(of);
}

// In both, comparisons with what is not known are false, and excuse nobody.

bool are_asked_for_more(Members apart, Members rest, std::span<const double> requests) {
  if (requests.empty()) return false;
  return median_requests(apart, requests) > kMostAsked * median_requests(rest, requests);
}

bool one_is_only_waited_for(Members apart, const ApartOptions& options) {
  if (options.slowdown.empty()) return false;
  return std::ranges::any_of(
      apart, [&](const Member& one) { return options.slowdown[one.index] < options.least_slowdown; });
}

double middle_of(Members sorted) {
  const std::size_t n = sorted.size();
  return (sorted[(n - 1) / 2].level + sorted[n / 2].level) / 2;
}

bool most_are_active(Members rest, std::span<const double> activity) {
  if (activity.empty()) return true;
  const auto active = static_cast<std::size_t>(
      std::ranges::count_if(rest, [&](const Member& one) { return activity[one.index] >= 1; }));
  return 4 * active >= 3 * rest.size();
}

/// Whether `apart` stands apart from `rest`, which it follows. `up` is 1 when members ascend, -1 when they
/// descend.
bool are_apart(Members rest, Members apart, double up, const ApartOptions& options) {
  const double middle = middle_of(rest);
  const double spread = std::max(up * (rest.back().level - middle), options.floor);
  if (!(up * (apart.front().level - middle) > (1 + options.least_gap) * spread)) return false;
  if (!most_are_active(rest, options.activity)) return false;
  return !are_asked_for_more(apart, rest, options.requests) && !one_is_only_waited_for(apart, options);
}

std::vector<std::uint32_t> farthest_first(Members apart) {
  std::vector<std::uint32_t> indices;
  for (std::size_t i = apart.size(); i-- > 0;) indices.push_back(apart[i].index);
  return indices;
}

std::vector<std::uint32_t> apart_at_the_end(Members sorted, double up, const ApartOptions& options) {
  for (std::size_t k = (sorted.size() - 1) / 2; k >= kLeastApart; --k) {
    const Members apart = sorted.last(k);
    if (are_apart(sorted.first(sorted.size() - k), apart, up, options)) return farthest_first(apart);
  }
  return {};
}

}  // namespace

std::vector<std::uint32_t> standing_apart(std::span<const double> levels, const ApartOptions& options) {
  std::vector<Member> members;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (!std::isnan(levels[i])) members.push_back({levels[i], static_cast<std::uint32_t>(i)});
  }
  if (members.size() <= 2 * kLeastApart) return {};
  std::ranges::stable_sort(members, {}, &Member::level);
  std::vector<std::uint32_t> high;
  if (options.bad != BadDirection::kLower) high = apart_at_the_end(members, 1, options);
  if (options.bad == BadDirection::kHigher) return high;
  std::ranges::reverse(members);
  std::vector<std::uint32_t> low = apart_at_the_end(members, -1, options);
  return low.size() > high.size() ? low : high;
}

}  // namespace laggard::detect
