#include "collect/pings/latency_histogram.h"

#include <algorithm>
#include <array>
#include <chrono>

namespace laggard::collect {

std::string LatencyHistogram::bucket_of(Duration latency) {
  constexpr std::array kLeadingDigits{1, 2, 5};
  constexpr Duration kShortest = std::chrono::microseconds(10);
  constexpr Duration kLongest = std::chrono::seconds(100);
  for (Duration decade = kShortest; decade <= kLongest; decade *= 10) {
    for (const int step : kLeadingDigits) {
      const Duration end = step * decade;
      if (end > kLongest) break;
      if (latency <= end) return to_text(end);
    }
  }
  return "longer";
}

void LatencyHistogram::advance(WallTime now, ProfileTable& profile) {
  if (begun_ && floor_to(begin_, kPeriod) == floor_to(now, kPeriod)) return;
  if (begun_) finish(std::clamp(now, begin_, floor_to(begin_, kPeriod) + kPeriod), profile);
  begin_ = begun_ ? floor_to(now, kPeriod) : now;
  begun_ = true;
}

void LatencyHistogram::finish(WallTime now, ProfileTable& profile) {
  std::uint64_t lost = 0;
  for (const auto& [target, words] : counts_) {
    const auto subject = profile.intern(target);
    if (!subject) {
      ++lost;
      continue;
    }
    profile.begin({.start = begin_, .length = std::max(now - begin_, Duration::zero()), .subject = *subject});
    for (const auto& [text, count] : words) {
      const auto word = profile.intern(text);
      if (word) {
        profile.add(*word, count);
      } else {
        ++lost;
      }
    }
  }
  if (lost > 0) profile.add_loss({begin_, now, lost, "too many names"});
  counts_.clear();
}

}  // namespace laggard::collect
