#include "collect/samples/sample_counts.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace laggard::collect {

void SampleCounts::advance(WallTime now, ProfileTable& profile) {
  constexpr Duration kLate = std::chrono::seconds(1);
  if (begun_) {
    const WallTime end = floor_to(begin_, period_) + period_;
    if (now < end && now >= begin_ - kLate) return;
    finish(std::clamp(now, begin_, end), profile);
    begin_ = floor_to(now, period_);
  } else {
    begin_ = now;
  }
  begun_ = true;
}

void SampleCounts::count(std::string_view word) {
  const auto known = counts_.find(word);
  if (known != counts_.end()) {
    ++known->second;
  } else if (counts_.size() >= kMostWords || bytes_ + word.size() > kMostBytes) {
    ++lost_;
  } else {
    bytes_ += word.size();
    counts_.emplace(word, 1);
  }
}

void SampleCounts::finish(WallTime now, ProfileTable& profile) {
  if (!std::exchange(begun_, false)) return;
  profile.begin({.start = begin_, .length = std::max(now - begin_, Duration::zero()), .each = each_});
  std::vector<std::pair<std::string_view, std::uint64_t>> sorted(counts_.begin(), counts_.end());
  std::ranges::sort(sorted);
  for (const auto& [text, count] : sorted) {
    if (const auto word = profile.intern(text)) {
      profile.add(*word, count);
    } else {
      lost_ += count;
    }
  }
  if (lost_ > 0)
    profile.add_loss({.from = begin_, .to = now, .count = lost_, .reason = "too many functions"});
  counts_.clear();
  bytes_ = 0;
  lost_ = 0;
}

}  // namespace laggard::collect
