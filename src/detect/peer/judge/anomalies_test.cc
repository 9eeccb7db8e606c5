#include "detect/peer/judge/anomalies.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/missing.h"
#include "detect/peer/judge/own_past.h"
#include "testing/restored.h"

namespace laggard::detect {
namespace {
using GroupLevels = std::vector<std::vector<double>>;

RC_GTEST_PROP(SharedLevelSums, AreThoseThatEverySpellWouldHaveAlone, ()) {
  const auto anomalies = *rc::gen::inRange<std::size_t>(1, 6);
  const auto windows = *rc::gen::inRange(1, 12);
  SharedLevelSums shared;
  std::vector<SharedLevelSums::Ptr> sums(anomalies);
  std::vector<LevelSums> alone(anomalies);
  for (int w = 0; w < windows; ++w) {
    shared.next_window();
    const GroupLevels levels{{1.5 * w, 7, -1.0 * w}, {0, 1, 2.0 * w}};
    for (std::size_t s = 0; s < anomalies; ++s) {
      if (!*rc::gen::arbitrary<bool>()) continue;
      sums[s] = shared.add(std::move(sums[s]), w, levels);
      alone[s].add(levels);
    }
  }
  for (std::size_t s = 0; s < anomalies; ++s) {
    RC_ASSERT((sums[s] ? sums[s]->columns() : 0) == alone[s].columns());
    for (std::size_t c = 0; c < alone[s].columns(); ++c) {
      RC_ASSERT(sums[s]->means(c) == alone[s].means(c));
      RC_ASSERT(sums[s]->windows(c) == alone[s].windows(c));
    }
  }
}

TEST(SharedLevelSums, SpellsOfTheSameWindowsHoldTheSameSums) {
  SharedLevelSums shared;
  const GroupLevels levels{{1, 2}};
  SharedLevelSums::Ptr one = shared.add(nullptr, 0, levels);
  SharedLevelSums::Ptr two = shared.add(nullptr, 0, levels);
  EXPECT_EQ(one, two);
  shared.next_window();
  one = shared.add(std::move(one), 1, levels);
  EXPECT_NE(one, two);
  EXPECT_EQ(two->windows(0)[0], 1) << "what another anomaly holds stays as it was";
  EXPECT_EQ(one->windows(0)[0], 2);
  two = shared.add(std::move(two), 1, levels);
  EXPECT_EQ(one, two);
}

constexpr std::size_t kShift = 4;

/// Feeds one member's scores window by window; the threshold is 2, so that distance is twice the score.
class Feed {
 public:
  explicit Feed(AnomalyTracker::Options options = {{3, -1, 6}, kShift, 6, {1, 60}},
                std::string_view metric = "await")
      : options_(options), tracker_(7, 2, find_metric(metric), "cdf", options) {}

  Feed& scores(const std::vector<double>& scores) {
    for (const double score : scores) add(score);
    return *this;
  }
  /// Time passes on which nothing was recorded: the windows have later numbers, but the clock without gaps
  /// has hardly moved.
  Feed& gap(std::int64_t windows) {
    index_ += windows;
    gap_ += windows * static_cast<std::int64_t>(kShift);
    return *this;
  }
  Feed& certain() {
    track_.certain = {1, 0};
    return *this;
  }
  Feed& quiet() {
    track_.certain = {0, 0};
    return *this;
  }
  Feed& seen_for_long(bool is) {
    track_.seen_for_long = {is ? std::uint8_t{1} : std::uint8_t{0}, 0};
    return *this;
  }
  Feed& reach(std::size_t windows) {
    track_.reach = {windows, 0};
    return *this;
  }
  Feed& past(const OwnPast* past) {
    track_.past = past;
    return *this;
  }
  Feed& idle(bool is) {
    track_.idle = is;
    return *this;
  }
  Feed& repaired() {
    tracker_.repaired(0);
    return *this;
  }
  /// From now on another tracker goes on from the state of this one.
  Feed& restart() {
    Held fresh{AnomalyTracker(7, 2, find_metric("await"), "cdf", options_)};
    expect_restores(Held{tracker_}, fresh);
    tracker_ = std::move(fresh.tracker);
    return *this;
  }
  /// All that there is to know of it.
  [[nodiscard]] std::string bytes() const { return save_state({"tracker"}, Held{tracker_}); }
  [[nodiscard]] const std::vector<Anomaly>& anomalies() const { return tracker_.anomalies(); }
  [[nodiscard]] const ComponentState& state() const { return tracker_.states()[0]; }

  static WallTime start(std::int64_t window) { return from_unix_ns(window * 4'000'000'000); }
  static WallTime end(std::int64_t window) { return start(window + 2); }

 private:
  /// With the levels of its windows, which its group's trackers share.
  struct Held {
    AnomalyTracker tracker;
    template <class State, class Self>
    static void exchange(State& state, Self& self) {
      TrackedGroup group{.columns = 1, .members = 2};
      if constexpr (!State::kRestores) self.tracker.list_recent(group);
      group.exchange_recent(state, 100);
      AnomalyTracker::exchange(state, self.tracker, group);
    }
  };

  void add(double score) {
    WindowJudgement window;
    window.index = index_;
    window.start = start(index_);
    window.end = end(index_);
    window.position = index_ * static_cast<std::int64_t>(kShift) - gap_;
    window.levels = {{static_cast<double>(index_), 1}};
    track_.distance = {2 * score, 0};
    track_.threshold = {2, 2};
    tracker_.add(window, std::make_shared<const LevelRows>(window.levels), track_);
    ++index_;
  }

  AnomalyTracker::Options options_;
  AnomalyTracker tracker_;
  ScoredTrack track_;
  std::int64_t index_ = 0;
  std::int64_t gap_ = 0;
};

AnomalyTracker::Options withdrawing() {
  return {.filter = {3, -1, 6},
          .shift = kShift,
          .gate_severity = 6,
          .confirm = {1, 60},
          .longest_burst = 6,
          .least_calm = 4,
          .relapse = 200};
}

TEST(AnomalyTracker, WhatTurnsOutToBeABurstIsWithdrawn) {
  Feed feed = Feed(withdrawing()).certain().scores({2, 2, 2, 2, 2});
  ASSERT_TRUE(feed.anomalies()[0].confirmed());
  feed.quiet().scores({0, 0}).restart().scores({0, 0});
  EXPECT_TRUE(feed.anomalies()[0].confirmed()) << "not yet well for as long as it was slow";
  feed.scores({0});
  EXPECT_FALSE(feed.anomalies()[0].confirmed());
  EXPECT_TRUE(feed.anomalies()[0].withdrawn);
}

TEST(AnomalyTracker, WhatLastedStaysConfirmedWhenItIsOver) {
  Feed feed = Feed(withdrawing()).certain().scores({2, 2, 2, 2, 2, 2, 2});
  EXPECT_TRUE(feed.quiet().scores(std::vector<double>(50, 0)).anomalies()[0].confirmed());
  Feed again = Feed(withdrawing()).certain().scores({2, 2, 2, 2}).quiet().scores({0, 0, 0}).certain();
  again.scores({2, 2, 2, 2}).quiet().scores(std::vector<double>(50, 0));
  EXPECT_TRUE(again.anomalies()[0].confirmed()) << "short pauses are part of it";
}

TEST(AnomalyTracker, WhatSingleWindowsToldOfForLongIsNoBurst) {
  Feed feed = Feed(withdrawing()).certain().scores({2, 2}).seen_for_long(true).scores({2}).restart();
  feed.seen_for_long(false).scores({2, 2}).quiet().scores(std::vector<double>(50, 0));
  EXPECT_TRUE(feed.anomalies()[0].confirmed());
}

TEST(AnomalyTracker, WhatComesAgainIsNoBurst) {
  Feed feed =
      Feed(withdrawing()).certain().scores({2, 2, 2, 2, 2}).quiet().scores(std::vector<double>(20, 0));
  ASSERT_TRUE(feed.anomalies()[0].withdrawn);
  feed.restart().certain().scores({2, 2, 2, 2, 2}).quiet().scores(std::vector<double>(60, 0));
  ASSERT_EQ(feed.anomalies().size(), 2U);
  EXPECT_TRUE(feed.anomalies()[1].confirmed());
  feed.certain().scores({2, 2, 2, 2, 2}).quiet().scores(std::vector<double>(20, 0));
  ASSERT_EQ(feed.anomalies().size(), 3U);
  EXPECT_TRUE(feed.anomalies()[2].withdrawn) << "the last one was long ago";
}

TEST(AnomalyTracker, WhileTheGroupIsIdleNobodyIsWell) {
  Feed feed = Feed(withdrawing()).certain().scores({2, 2, 2, 2});
  EXPECT_TRUE(feed.quiet().idle(true).scores(std::vector<double>(50, 0)).anomalies()[0].confirmed());
}

TEST(AnomalyTracker, FaultyAtKOfThePast2kMinus1) {
  EXPECT_TRUE(Feed().scores({1.5, 0, 1.5, 0, 0, 1.5, 0, 1.5}).anomalies().empty())
      << "never three among five that follow each other";
  const Feed feed = Feed().scores({0, 1.5, 0, 1.5, 0, 1.5, 0});
  ASSERT_EQ(feed.anomalies().size(), 1U);
  const Anomaly& anomaly = feed.anomalies()[0];
  EXPECT_EQ(anomaly.group, 7U);
  EXPECT_EQ(anomaly.member, 0U);
  EXPECT_EQ(anomaly.since, Feed::start(1)) << "the first of those that made it faulty";
  EXPECT_EQ(anomaly.faulty_since, Feed::end(5));
  EXPECT_EQ(anomaly.until, Feed::end(5));
  EXPECT_EQ(anomaly.windows, (std::vector<WallTime>{Feed::start(1), Feed::start(3), Feed::start(5)}));
  EXPECT_EQ(anomaly.levels->means(0)[0], 3) << "of the anomalous windows only";
  EXPECT_EQ(anomaly.persistence, 1);
}

TEST(AnomalyTracker, ExactlyTheThresholdIsNotAnomalous) {
  EXPECT_TRUE(Feed().scores(std::vector<double>(20, 1.0)).anomalies().empty());
}

TEST(AnomalyTracker, SevereProblemsNeedNotWaitForK) {
  const Feed feed = Feed().scores({0, 64, 0});
  ASSERT_EQ(feed.anomalies().size(), 1U) << "log2 64 is the gate";
  EXPECT_EQ(feed.anomalies()[0].faulty_since, Feed::end(1));
  EXPECT_DOUBLE_EQ(feed.anomalies()[0].severity, 6);
  EXPECT_TRUE(Feed().scores({0, 63, 0}).anomalies().empty());
  EXPECT_EQ(Feed().scores({0, 32, 2}).anomalies().size(), 1U) << "severity adds up: 5 and 1";
  AnomalyTracker::Options paper{{3, -1, 6}, kShift, std::numeric_limits<double>::infinity(), {1, 60}};
  EXPECT_TRUE(Feed(paper).scores({0, 1e9, 1e9, 0}).anomalies().empty()) << "the papers know no such gate";
}

TEST(AnomalyTracker, StrengthIsTheKthLargestScore) {
  EXPECT_DOUBLE_EQ(Feed().scores({2, 9, 3, 5, 4}).anomalies()[0].strength, 4);
  EXPECT_DOUBLE_EQ(Feed().scores({2, 9, 3, 5, 4}).anomalies()[0].score, 9);
  EXPECT_EQ(Feed().scores({2, 9, 3, 5, 4}).anomalies()[0].worst_window, Feed::start(1));
  EXPECT_DOUBLE_EQ(Feed().scores({2, 9, 3, 5, 4}).anomalies()[0].distance, 18);
  EXPECT_DOUBLE_EQ(Feed().scores({0, 64, 0, 0, 0}).anomalies()[0].strength, 0)
      << "a single window is no robust peak";
}

TEST(AnomalyTracker, JoinsWhatFollowsWithin2kMinus1Windows) {
  std::vector<double> scores{2, 2, 2};
  scores.insert(scores.end(), 4, 0.0);
  scores.insert(scores.end(), 3, 2.0);
  EXPECT_EQ(Feed().scores(scores).anomalies().size(), 1U);
  scores.insert(scores.begin() + 3, 2, 0.0);
  EXPECT_EQ(Feed().scores(scores).anomalies().size(), 2U);
}

TEST(AnomalyTracker, ARepairEndsTheSpellAndAllThatCounted) {
  Feed feed;
  feed.scores({2, 2, 2, 2}).repaired();
  EXPECT_EQ(feed.state(), ComponentState{});
  feed.scores({2, 2});
  ASSERT_EQ(feed.anomalies().size(), 1U) << "k begins anew";
  feed.scores({2});
  ASSERT_EQ(feed.anomalies().size(), 2U);
  EXPECT_EQ(feed.anomalies()[1].since, Feed::start(4)) << "nothing of before the repair";
  EXPECT_EQ(feed.anomalies()[0].until, Feed::end(3));
}

TEST(AnomalyTracker, AGapOfTheRecordingDoesNotCutASpell) {
  const Feed feed = Feed().scores({2, 2, 2}).gap(500).scores({2, 2, 2});
  ASSERT_EQ(feed.anomalies().size(), 1U);
  EXPECT_EQ(feed.anomalies()[0].until, Feed::end(505));
  EXPECT_EQ(feed.anomalies()[0].windows.size(), 6U);
  EXPECT_TRUE(Feed().scores({2, 2}).gap(500).scores({2, 0}).anomalies().empty())
      << "but the filter counts windows that never came as healthy";
}

TEST(AnomalyTracker, ADetectorThatGatheredLongerDatesTheSpellBack) {
  std::vector<double> scores(12, 0.0);
  scores.insert(scores.end(), 3, 2.0);
  const Feed feed = Feed().reach(10).scores(scores);
  ASSERT_EQ(feed.anomalies().size(), 1U);
  EXPECT_EQ(feed.anomalies()[0].since, Feed::start(4)) << "ten windows before the one that made it faulty";
  EXPECT_EQ(feed.anomalies()[0].first_position, 4 * static_cast<std::int64_t>(kShift));
  EXPECT_EQ(Feed().reach(1000).scores(scores).anomalies()[0].since, Feed::start(0)) << "not before the first";
  EXPECT_EQ(Feed().reach(1).scores(scores).anomalies()[0].since, Feed::start(12)) << "never forward";
}

TEST(AnomalyTracker, WhatMadeItSuspectIsNotWhenItBegan) {
  const AnomalyTracker::Options never{{1, -1, 6}, kShift, 6, {1000, 1e9}};
  Feed feed(never);
  feed.reach(3).scores(std::vector<double>(20, 1.2));
  ASSERT_EQ(feed.anomalies().size(), 1U);
  EXPECT_EQ(feed.anomalies()[0].since, Feed::start(0));
  feed.certain().reach(4).scores({2});
  EXPECT_EQ(feed.anomalies()[0].since, Feed::start(16)) << "four windows before it became sure";
  EXPECT_EQ(feed.anomalies()[0].faulty_since, Feed::end(20));
  EXPECT_EQ(feed.anomalies()[0].confirmed_since, Feed::end(20));
}

RC_GTEST_PROP(AnomalyTracker, GoesOnWhereItsStateWasSaved, ()) {
  const bool reaches = *rc::gen::arbitrary<bool>();
  Feed whole;
  Feed stopped;
  for (Feed* feed : {&whole, &stopped}) {
    if (reaches) feed->reach(5);
  }
  for (int step = 0; step < 60; ++step) {
    const int luck = *rc::gen::inRange(0, 30);
    const double score = *rc::gen::element(0.0, 0.3, 0.9, 2.0, 5.0, 200.0);
    for (Feed* feed : {&whole, &stopped}) {
      if (luck == 0) feed->repaired();
      if (luck == 1) feed->gap(20);
      feed->idle(luck == 2).scores({score});
    }
    if (luck % 5 == 0) stopped.restart();
    RC_ASSERT(stopped.bytes() == whole.bytes());
  }
}

TEST(AnomalyTracker, TellsWhenItWasPersistentAndWhenConfirmed) {
  const AnomalyTracker::Options slow{{3, -1, 6}, kShift, 6, {3, 1000}};
  const Feed feed = Feed(slow).scores({64, 2, 2, 2, 2});
  const Anomaly& anomaly = feed.anomalies()[0];
  EXPECT_EQ(anomaly.faulty_since, Feed::end(0)) << "severe at once";
  EXPECT_EQ(anomaly.persistent_since, Feed::end(2));
  EXPECT_EQ(anomaly.confirmed_since, Feed::end(4));
  ASSERT_EQ(anomaly.growth.size(), 5U) << "until it is confirmed";
  EXPECT_EQ(anomaly.growth[3].persistence, 2);
  EXPECT_EQ(anomaly.growth[3].severity, 9);
}

TEST(AnomalyTracker, WhatCountsBeforeItOpensGrowsToo) {
  const AnomalyTracker::Options slow{{3, -1, 6}, kShift, 6, {100, 1000}};
  const Feed feed = Feed(slow).scores({2, 2, 2});
  const auto& growth = feed.anomalies()[0].growth;
  ASSERT_EQ(growth.size(), 3U);
  EXPECT_EQ(growth[0].at, Feed::end(0));
  EXPECT_EQ(growth[0].severity, 1);
  EXPECT_EQ(growth[0].persistence, 0);
  EXPECT_EQ(growth[2].severity, 3);
}

TEST(AnomalyTracker, CountsPausesBetweenBadWindows) {
  const Feed feed = Feed().scores({2, 2, 2, 0, 0, 2, 2, 0, 2, 0, 0, 0});
  const Anomaly& anomaly = feed.anomalies()[0];
  EXPECT_EQ(anomaly.bad, 6U);
  EXPECT_EQ(anomaly.well, 3U);
  EXPECT_EQ(anomaly.pauses, 2U) << "what comes after the last bad one is no pause";
  EXPECT_EQ(Feed().scores({2, 2, 2}).idle(true).scores({0, 0}).idle(false).scores({2}).anomalies()[0].pauses,
            0U)
      << "while nobody works nobody is well";
  EXPECT_EQ(Feed().scores({2, 2, 2, 0.9, 0.8, 2}).anomalies()[0].pauses, 0U)
      << "nor is who is barely not slow";
  EXPECT_EQ(Feed().scores({2, 2, 2, 0.9, 0.4, 2}).anomalies()[0].well, 1U);
}

TEST(AnomalyTracker, APauseThatEndsASpellIsCountedToItsEnd) {
  const Feed feed = Feed()
                        .scores({2, 2, 2, 0})
                        .idle(true)
                        .scores(std::vector<double>(6, 0))
                        .idle(false)
                        .scores({0, 0.9, 0, 2, 2, 2, 0});
  ASSERT_EQ(feed.anomalies().size(), 2U);
  EXPECT_EQ(feed.anomalies()[0].well_since, 3U)
      << "also when the anomaly is over, but not while nobody works";
  EXPECT_EQ(feed.anomalies()[1].well_since, 1U);
  EXPECT_EQ(Feed().scores({2, 2, 2}).repaired().scores(std::vector<double>(9, 0)).anomalies()[0].well_since,
            0U);
}

TEST(AnomalyTracker, ConfirmsByPersistenceBySeverityOrByCertainty) {
  const AnomalyTracker::Options slow{{3, -1, 6}, kShift, 6, {5, 20}};
  EXPECT_FALSE(Feed(slow).scores(std::vector<double>(6, 1.5)).anomalies()[0].confirmed()) << "persistence 4";
  EXPECT_TRUE(Feed(slow).scores(std::vector<double>(7, 1.5)).anomalies()[0].confirmed());
  EXPECT_TRUE(Feed(slow).scores({64, 64, 64, 64}).anomalies()[0].confirmed()) << "severity 24";
  EXPECT_FALSE(Feed(slow).scores({64, 64, 2}).anomalies()[0].confirmed()) << "severity 13";
  EXPECT_TRUE(Feed(slow).certain().scores({2, 2, 2}).anomalies()[0].confirmed());
}

TEST(AnomalyTracker, ASurgeOfWorkIsConfirmedWhenItLastsOrIsSevere) {
  const AnomalyTracker::Options options{.filter = {3, -1, 6},
                                        .shift = kShift,
                                        .gate_severity = 6,
                                        .confirm = {1, 60},
                                        .surge = {{.factor = 4, .confirm = {5, 6}}},
                                        .column = 0};
  const auto confirmed = [&](std::string_view metric, const std::vector<double>& scores) {
    return Feed(options, metric).scores(scores).anomalies()[0].confirmed_since;
  };
  EXPECT_EQ(confirmed("rd_sec", {0, 0, 1.5, 1.5, 1.5, 0, 0}), std::nullopt);
  EXPECT_EQ(confirmed("rd_sec", {0, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5}), Feed::end(7)) << "persistence 5";
  EXPECT_EQ(confirmed("rd_sec", {0, 0, 0, 0, 0, 0, 1.5, 1.5, 1.5}), Feed::end(8)) << "seven times as much";
  EXPECT_EQ(confirmed("rd_sec", {0, 0, 8, 8, 8}), Feed::end(3)) << "severity 6";
  EXPECT_EQ(confirmed("await", {0, 0, 1.5, 1.5, 1.5}), Feed::end(4)) << "waiting is no surge of work";
}

TEST(AnomalyTracker, WhoIsAsSlowAsEverIsNotConfirmed) {
  const auto slow_from = [](std::int64_t begin) {
    OwnPast past(2, {});
    for (std::int64_t window = 0; window < 8; ++window) {
      const double slowdown = window >= begin ? 1.3 : 1;
      past.add(window * static_cast<std::int64_t>(kShift), std::vector<double>{slowdown, 1}, {});
    }
    return past;
  };
  const OwnPast always = slow_from(0);
  const Feed suspected = Feed().past(&always).scores({0, 0, 2, 2, 2, 2});
  EXPECT_FALSE(suspected.anomalies()[0].confirmed());
  EXPECT_TRUE(suspected.anomalies()[0].as_ever);
  const OwnPast changed = slow_from(2);
  const Feed confirmed = Feed().past(&changed).scores({0, 0, 2, 2, 2, 2});
  EXPECT_EQ(confirmed.anomalies()[0].confirmed_since, Feed::end(4));
  EXPECT_FALSE(confirmed.anomalies()[0].as_ever);
  EXPECT_TRUE(Feed().certain().past(&always).scores({2, 2, 2}).anomalies()[0].confirmed());
}

TEST(AnomalyTracker, WindowsThatSayNothingAreNotHeldAgainstAnyone) {
  const Feed feed = Feed().scores({2, 2, kMissing, 2});
  ASSERT_EQ(feed.anomalies().size(), 1U);
  EXPECT_EQ(feed.anomalies()[0].persistence, 1);
  EXPECT_EQ(feed.anomalies()[0].windows.size(), 3U);
  EXPECT_DOUBLE_EQ(Feed().scores({2, 2, kMissing, 2}).anomalies()[0].severity, 3);
}

TEST(AnomalyTracker, KeepsABoundedListOfWindows) {
  const Feed feed = Feed().scores(std::vector<double>(3 * kMostWindows, 2));
  ASSERT_EQ(feed.anomalies().size(), 1U);
  EXPECT_EQ(feed.anomalies()[0].windows.size(), kMostWindows);
  EXPECT_EQ(feed.anomalies()[0].until, Feed::end(3 * kMostWindows - 1));
  EXPECT_EQ(feed.anomalies()[0].persistence, static_cast<std::int64_t>(3 * kMostWindows - 2));
}

}  // namespace
}  // namespace laggard::detect
