#include "detect/peer/judge/moved_history.h"

#include <gtest/gtest.h>

#include "base/missing.h"
#include "testing/restored.h"

namespace laggard::detect {
namespace {

/// 100 a window, 40 from window `from` to window `to`.
MovedHistory fallen(std::int64_t windows, std::int64_t from, std::int64_t to) {
  MovedHistory history;
  for (std::int64_t i = 0; i < windows; ++i) history.add(i, i >= from && i <= to ? 40 : 100);
  return history;
}

TEST(MovedHistory, SaysByHowMuchLessWasMovedThanBefore) {
  const auto fall = fallen(60, 30, 40).fall(30, 40);
  ASSERT_TRUE(fall);
  EXPECT_EQ(fall->before, 100);
  EXPECT_EQ(fall->during, 40);
  EXPECT_DOUBLE_EQ(fall->share(), 0.6);
}

TEST(MovedHistory, NothingWithoutABeforeOrADuring) {
  EXPECT_FALSE(MovedHistory().fall(0, 10));
  EXPECT_FALSE(fallen(60, 0, 20).fall(0, 20)) << "from the beginning on";
  EXPECT_FALSE(fallen(60, 30, 40).fall(70, 80)) << "after the end";
  MovedHistory idle;
  for (std::int64_t i = 0; i < 20; ++i) idle.add(i, i < 10 ? 0 : 5);
  EXPECT_FALSE(idle.fall(10, 19)) << "nothing was moved before";
}

TEST(MovedHistory, OneWindowThatIsOtherChangesNoMedian) {
  MovedHistory history = fallen(30, 30, 29);
  history.add(30, 5000);
  for (std::int64_t i = 31; i < 40; ++i) history.add(i, 40);
  const auto fall = history.fall(30, 39);
  ASSERT_TRUE(fall);
  EXPECT_EQ(fall->during, 40);
}

TEST(MovedHistory, WhatIsNotKnownIsNotZero) {
  MovedHistory history;
  for (std::int64_t i = 0; i < 40; ++i) history.add(i, i % 2 == 0 ? kMissing : (i < 20 ? 100 : 50));
  const auto fall = history.fall(20, 39);
  ASSERT_TRUE(fall);
  EXPECT_DOUBLE_EQ(fall->share(), 0.5);
}

TEST(MovedHistory, TellsItsMeans) {
  MovedHistory history;
  EXPECT_TRUE(history.levels().empty());
  history.add(4, 10);
  history.add(6, 30);
  EXPECT_EQ(history.levels(), (std::vector<MovedHistory::Level>{{4, 4, 10}, {6, 6, 30}}));
  for (std::int64_t i = 7; i < 200; ++i) history.add(i, 50);
  EXPECT_EQ(history.levels().front(), (MovedHistory::Level{4, 5, 10})) << "two windows a mean by now";
  EXPECT_EQ(history.levels().back().last, 199);
}

TEST(MovedHistory, AMonthTakesNoMoreThanAnHour) {
  const std::int64_t month = 100'000;
  const auto fall = fallen(month, month / 2, month).fall(month / 2, month);
  ASSERT_TRUE(fall);
  EXPECT_NEAR(fall->share(), 0.6, 0.01);
  constexpr StateFormat kFormat{"state of a test"};
  EXPECT_LT(save_state(kFormat, fallen(month, 0, 0)).size(), 40 * MovedHistory::kMost);
}

TEST(MovedHistory, IsRestoredAsItWas) {
  const MovedHistory history = fallen(1000, 700, 800);
  MovedHistory again;
  expect_restores(history, again);
  EXPECT_EQ(again.fall(700, 800)->share(), history.fall(700, 800)->share());
}

}  // namespace
}  // namespace laggard::detect
