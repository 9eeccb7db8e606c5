#include "detect/peer/judge/own_past.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "base/missing.h"
#include "testing/restored.h"

namespace laggard::detect {
namespace {

constexpr std::size_t kMembers = 9;

/// What a member shows in a window.
using Shown = std::function<double(std::size_t member, std::int64_t window)>;

double nothing(std::size_t /*member*/, std::int64_t /*window*/) { return kMissing; }

/// Peers differ by a hundredth from window to window.
double healthy(std::size_t member, std::int64_t window) {
  return 1 + 0.005 * static_cast<double>((static_cast<std::int64_t>(member) + window) % 3 - 1);
}

OwnPast after(std::int64_t windows, const Shown& slowdown, const Shown& read = nothing) {
  OwnPast past(kMembers, {});
  for (std::int64_t window = 0; window < windows; ++window) {
    std::vector<double> slow;
    std::vector<double> reads;
    for (std::size_t i = 0; i < kMembers; ++i) {
      slow.push_back(slowdown(i, window));
      reads.push_back(read(i, window));
    }
    past.add(window, slow, reads);
  }
  return past;
}

bool last_three_as_ever(const OwnPast& past, std::int64_t windows, std::size_t member = 0) {
  const std::vector<std::int64_t> last{windows - 3, windows - 2, windows - 1};
  return past.as_ever(member, last);
}

Shown slower_from(std::int64_t begin, double times) {
  return [=](std::size_t i, std::int64_t w) { return healthy(i, w) * (i == 0 && w >= begin ? times : 1); };
}

TEST(OwnPast, WhoHasBecomeSlowerIsNotAsEver) {
  EXPECT_FALSE(last_three_as_ever(after(8, slower_from(5, 1.25)), 8));
  EXPECT_FALSE(last_three_as_ever(after(4, slower_from(1, 1.25)), 4)) << "a single window before is enough";
  EXPECT_TRUE(last_three_as_ever(after(8, slower_from(5, 1.08)), 8)) << "too little";
}

TEST(OwnPast, WhoHasBeenSlowerFromTheFirstWindowOnMayBeOtherHardware) {
  EXPECT_TRUE(last_three_as_ever(after(8, slower_from(0, 1.3)), 8));
  EXPECT_TRUE(last_three_as_ever(after(3, slower_from(0, 1.3)), 3)) << "nothing is known from before";
  EXPECT_FALSE(last_three_as_ever(after(8, slower_from(0, 1.6)), 8)) << "no hardware is so slow";
  EXPECT_FALSE(last_three_as_ever(after(3, slower_from(0, 1.6)), 3));
}

TEST(OwnPast, WhatAllPeersDoMeanwhileIsNoChange) {
  // From window 5 on nobody is asked for much, and everybody is busy now a half more, now a third less.
  const auto noisy = [](std::size_t i, std::int64_t w) {
    if (w < 5) return healthy(i, w);
    return i == 0 ? 1.4 : (i % 2 == 0 ? 1.3 : 0.75);
  };
  EXPECT_TRUE(last_three_as_ever(after(8, noisy), 8));
}

TEST(OwnPast, AQueueThatComesAndGoesIsNoChange) {
  const auto wandering = [](std::size_t i, std::int64_t w) {
    const bool queue = w % 6 >= 3;
    return healthy(i, w) * (i == 0 && queue ? 1.2 : (i == 0 && w % 6 == 1 ? 1.08 : 1));
  };
  EXPECT_TRUE(last_three_as_ever(after(30, wandering), 30));
}

TEST(OwnPast, WhoReadsMoreThanBeforeIsNotAsEver) {
  const auto slow = slower_from(0, 1.3);
  const Shown more = [](std::size_t i, std::int64_t w) { return i == 0 && w >= 5 ? 115.0 : 100.0; };
  EXPECT_FALSE(last_three_as_ever(after(8, slow, more), 8));
  const Shown always = [](std::size_t i, std::int64_t /*w*/) { return i == 0 ? 115.0 : 100.0; };
  EXPECT_TRUE(last_three_as_ever(after(8, slow, always), 8));
}

TEST(OwnPast, SaysNothingOfWhatItDoesNotKnow) {
  OwnPast past(kMembers, {});
  past.add(0, {}, {});
  const std::vector<std::int64_t> first{0};
  EXPECT_FALSE(past.as_ever(0, first)) << "busy times are not recorded";
  const auto gone = [](std::size_t i, std::int64_t w) { return i == 0 && w >= 5 ? kMissing : healthy(i, w); };
  EXPECT_FALSE(last_three_as_ever(after(8, gone), 8)) << "it does nothing any more";
  EXPECT_FALSE(past.as_ever(0, {}));
}

TEST(OwnPast, RemembersOnlySoMuch) {
  constexpr auto kMost = static_cast<std::int64_t>(OwnPast::kMostWindows);
  // Slow for longer than that.
  EXPECT_TRUE(last_three_as_ever(after(kMost + 40, slower_from(10, 1.3)), kMost + 40));
  EXPECT_FALSE(last_three_as_ever(after(kMost + 40, slower_from(kMost + 37, 1.3)), kMost + 40));
}

TEST(OwnPast, WhatHasBeenReplacedHasNoPast) {
  OwnPast past = after(5, healthy);
  past.repaired(0);
  for (std::int64_t window = 5; window < 8; ++window) {
    std::vector<double> slow;
    for (std::size_t i = 0; i < kMembers; ++i) slow.push_back(slower_from(5, 1.25)(i, window));
    past.add(window, slow, {});
  }
  EXPECT_TRUE(last_three_as_ever(past, 8)) << "another disk is no change of this one";
}

TEST(OwnPast, WhoWasSickBeforeIsHeldAgainstItsHealth) {
  OwnPast past(kMembers, {});
  for (std::int64_t window = 0; window < 30; ++window) {
    const bool sick = (window >= 3 && window < 24) || window >= 27;
    std::vector<double> slow;
    for (std::size_t i = 0; i < kMembers; ++i)
      slow.push_back(healthy(i, window) * (i == 0 && sick ? 1.3 : 1));
    past.add(window, slow, {});
    if (window >= 3 && window < 24) past.leave_out(0);
  }
  EXPECT_FALSE(last_three_as_ever(past, 30));
}

TEST(OwnPast, IsRestored) {
  const OwnPast past = after(8, slower_from(5, 1.25), healthy);
  OwnPast again(kMembers, {});
  expect_restores(past, again);
  EXPECT_FALSE(last_three_as_ever(again, 8));
}

}  // namespace
}  // namespace laggard::detect
