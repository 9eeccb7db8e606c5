#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "base/state_codec.h"
#include "detect/peer/judge/anomalies.h"
#include "detect/peer/judge/level_book.h"

namespace laggard::detect {
namespace {

/// One member of three with its scores, window by window, in a group of which `await` is recorded.
class SickTimeAndAgain {
 public:
  void scores(const std::vector<double>& scores) {
    for (const double score : scores) {
      WindowJudgement window;
      window.index = index_;
      window.start = start(index_);
      window.end = start(index_ + 2);
      window.position = index_;
      window.levels = {{10.0 * score, 4, 6}};
      const ScoredTrack track{.distance = {score, 0, 0}, .threshold = {1, 1, 1}};
      tracker.add(window, std::make_shared<const LevelRows>(window.levels), track);
      ++index_;
    }
  }
  void settle() {
    LevelBook book(columns_);
    tracker.settle(book);
  }
  /// Three bad windows and as many good ones as it takes for the next to be others.
  void times(int count) {
    for (int n = 0; n < count; ++n) scores({2, 3, 2, 0, 0, 0, 0, 0, 0});
    settle();
  }
  [[nodiscard]] const std::vector<Anomaly>& anomalies() const { return tracker.anomalies(); }

  static WallTime start(std::int64_t window) { return from_unix_ns(window * 4'000'000'000); }

  AnomalyTracker tracker{0, 3, find_metric("await"), "cdf", {{3, -1, 6}, 1, 6, {1, 60}}};

 private:
  std::vector<GroupJudge::Column> columns_{{find_metric("await"), true}};
  std::int64_t index_ = 0;
};

TEST(SettledAnomaly, KeepsWhatItsFindingSaysOfTheLevels) {
  SickTimeAndAgain member;
  member.scores({2, 3, 4, 0, 0, 0, 0, 0});
  member.settle();
  ASSERT_EQ(member.anomalies().size(), 1U);
  EXPECT_NE(member.anomalies()[0].levels, nullptr) << "2k-1 windows may still extend it";
  EXPECT_FALSE(member.anomalies()[0].summary);
  member.scores({0});
  member.settle();
  const Anomaly& anomaly = member.anomalies()[0];
  EXPECT_EQ(anomaly.levels, nullptr);
  ASSERT_TRUE(anomaly.summary && anomaly.summary->metric);
  EXPECT_EQ(anomaly.summary->metric->own, 30);
  EXPECT_EQ(anomaly.summary->metric->peers, 5);
  EXPECT_FALSE(anomaly.summary->storage) << "nothing is known of what was moved";
}

TEST(SettledAnomaly, IsWhatWasRepaired) {
  SickTimeAndAgain member;
  member.scores({2, 3, 4});
  member.tracker.repaired(0);
  member.settle();
  EXPECT_TRUE(member.anomalies()[0].summary);
}

TEST(SettledAnomaly, KeepsOfItsGrowthWhatRose) {
  std::vector<Growth> growth{{{}, 0, 0}, {{}, 2, 0}, {{}, 1, 0}, {{}, 2, 1},
                             {{}, 2, 1}, {{}, 1, 2}, {{}, 3, 0}};
  keep_records(growth);
  std::vector<double> severity;
  for (const Growth& one : growth) severity.push_back(one.severity);
  EXPECT_EQ(severity, (std::vector<double>{0, 2, 2, 1, 3}));
}

/// The tracker with the group that it is saved with.
struct Held {
  SickTimeAndAgain member;

  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    TrackedGroup group{.columns = 1, .members = 3};
    if constexpr (!State::kRestores) self.member.tracker.list_recent(group);
    group.exchange_recent(state, 100);
    AnomalyTracker::exchange(state, self.member.tracker, group);
  }
};

TEST(SettledAnomaly, IsRestoredAsItWas) {
  Held held;
  held.member.times(3);
  held.member.scores({2, 2, 2});
  const std::string bytes = save_state({"tracker"}, held);
  Held fresh;
  ASSERT_TRUE(restore_state({"tracker"}, bytes, fresh));
  EXPECT_EQ(save_state({"tracker"}, fresh), bytes);
  const std::vector<Anomaly>& restored = fresh.member.anomalies();
  ASSERT_EQ(restored.size(), 4U);
  EXPECT_EQ(restored[0].summary->metric->own, 70.0 / 3);
  EXPECT_EQ(restored[0].windows, held.member.anomalies()[0].windows);
  EXPECT_EQ(restored[0].until, held.member.anomalies()[0].until);
  EXPECT_FALSE(restored.back().summary) << "it goes on";
  EXPECT_EQ(restored.back().levels->means(0)[0], 20);
}

}  // namespace
}  // namespace laggard::detect
