#include "detect/peer/judge/own_history.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "testing/restored.h"

namespace laggard::detect {
namespace {

constexpr Duration kDay = std::chrono::hours(24);
constexpr std::int64_t kWindowsOfDay = 192;
constexpr double kUntrained = 3;

/// Distance of a member in a window of a day.
using Shown = std::function<double(std::size_t member, std::int64_t window)>;

class OwnHistoryTest : public ::testing::Test {
 protected:
  [[nodiscard]] OwnHistory fresh() const { return {"disks", members_, preset_, parameters_of(preset_)}; }

  /// A day of windows of rd_sec under `cdf`.
  void live(OwnHistory& history, std::int64_t day, const Shown& shown,
            const std::vector<std::size_t>& suspects = {}) const {
    for (std::int64_t w = 0; w < kWindowsOfDay; ++w) {
      WindowJudgement window;
      window.index = day * kWindowsOfDay + w;
      window.start = from_unix_ns(0) + kDay * day + kDay / kWindowsOfDay * w;
      window.end = window.start + kDay / kWindowsOfDay;
      window.levels = {std::vector<double>(members_.size(), 1)};
      TrackJudgement track;
      track.metric = columns_[0].metric;
      track.detector = "cdf";
      for (std::size_t i = 0; i < members_.size(); ++i) track.distance.push_back(shown(i, w));
      history.enter(window.end);
      for (const std::size_t member : suspects) history.leave_out(member);
      history.learn(window, track, std::nullopt, columns_, kUntrained);
    }
  }

  [[nodiscard]] static double learnt_of(const OwnHistory& history, const std::string& member) {
    const GroupThresholds* const group = history.book().thresholds().find("cdf", "rd_sec", "disks");
    return group == nullptr ? std::nan("") : group->of(member);
  }

  std::vector<std::string> members_{"a", "b", "c", "d", "e"};
  Preset preset_ = *find_preset("production");
  std::vector<GroupJudge::Column> columns_{{find_metric("rd_sec"), true}};
};

double quiet(std::size_t /*member*/, std::int64_t /*window*/) { return 0.55; }

TEST_F(OwnHistoryTest, ADayIsHeldAgainstTheDaysBeforeItAlone) {
  OwnHistory history = fresh();
  live(history, 0, quiet);
  EXPECT_FALSE(history.book().trained()) << "the first day is not over";
  history.enter(from_unix_ns(1) + kDay);
  EXPECT_TRUE(history.book().trained());
  EXPECT_DOUBLE_EQ(learnt_of(history, "a"), 1.2) << "0.55 on a grid of 0.1, doubled";
}

TEST_F(OwnHistoryTest, WhatComesInFewerThanKWindowsOfASpanIsNotLearnt) {
  OwnHistory history = fresh();
  live(history, 0, [](std::size_t, std::int64_t w) { return w % 5 < 2 ? 2.5 : 0.55; });
  history.end_day();
  EXPECT_DOUBLE_EQ(learnt_of(history, "a"), 1.2);
  OwnHistory other = fresh();
  live(other, 0, [](std::size_t, std::int64_t w) { return w % 5 < 3 ? 2.5 : 0.55; });
  other.end_day();
  EXPECT_DOUBLE_EQ(learnt_of(other, "a"), 5.0);
}

TEST_F(OwnHistoryTest, WhoIsSuspectedTeachesNothingOfThatDay) {
  OwnHistory history = fresh();
  live(history, 0, quiet);
  live(history, 1, [](std::size_t i, std::int64_t) { return i == 0 ? 2.9 : 0.55; }, {0});
  live(history, 2, [](std::size_t i, std::int64_t) { return i == 1 ? 2.9 : 0.55; });
  history.end_day();
  EXPECT_LT(learnt_of(history, "a"), 1.3) << "the day before is still known";
  EXPECT_DOUBLE_EQ(learnt_of(history, "b"), 5.8) << "who is not suspected teaches";
}

TEST_F(OwnHistoryTest, NothingBeyondTheUntrainedThresholdIsLearnt) {
  OwnHistory history = fresh();
  live(history, 0, [](std::size_t, std::int64_t) { return 50.0; });
  history.end_day();
  EXPECT_DOUBLE_EQ(learnt_of(history, "a"), 2 * kUntrained);
}

TEST_F(OwnHistoryTest, WhatDoesNotComeBackIsHalfForgottenAfterAHalfLife) {
  OwnHistory history = fresh();
  live(history, 0, [](std::size_t, std::int64_t) { return 2.0; });
  for (std::int64_t day = 1; day <= 14; ++day)
    live(history, day, [](std::size_t, std::int64_t) { return 0.1; });
  history.end_day();
  EXPECT_DOUBLE_EQ(learnt_of(history, "a"), 2.0) << "half of 2, doubled";
  OwnHistory with_a_gap = fresh();
  live(with_a_gap, 0, [](std::size_t, std::int64_t) { return 2.0; });
  live(with_a_gap, 14, [](std::size_t, std::int64_t) { return 0.1; });
  with_a_gap.end_day();
  EXPECT_DOUBLE_EQ(learnt_of(with_a_gap, "a"), 2.0) << "by days, recorded or not";
}

TEST_F(OwnHistoryTest, WhoIsRepairedBeginsAnew) {
  OwnHistory history = fresh();
  live(history, 0, [](std::size_t i, std::int64_t) { return i == 0 ? 2.0 : 0.55; });
  live(history, 1, quiet);
  history.repaired(0);
  live(history, 2, quiet);
  history.end_day();
  EXPECT_DOUBLE_EQ(learnt_of(history, "a"), 1.2);
}

TEST_F(OwnHistoryTest, GoesOnFromItsState) {
  OwnHistory history = fresh();
  live(history, 0, quiet);
  live(history, 1,
       [](std::size_t i, std::int64_t w) {
         return 0.1 * static_cast<double>(i) + 0.01 * static_cast<double>(w % 7);
       },
       {2});
  OwnHistory restored = fresh();
  expect_restores(history, restored);
  EXPECT_EQ(restored.book().thresholds(), history.book().thresholds());
  live(history, 2, quiet);
  live(restored, 2, quiet);
  history.end_day();
  restored.end_day();
  EXPECT_EQ(restored.book().thresholds(), history.book().thresholds());
}

}  // namespace
}  // namespace laggard::detect
