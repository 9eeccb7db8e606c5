#include "detect/background/recorded_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "base/missing.h"
#include "base/state_codec.h"
#include "model/background_work.h"
#include "testing/grouping.h"
#include "testing/samples.h"

namespace laggard::detect {
namespace {
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing_support::Sample;
using testing_support::samples_of;
using testing_support::second;

constexpr double kCheck = 1;
constexpr double kRecover = 4;
constexpr double kFrozen = 6;

SampleTable states(const std::vector<Sample>& samples, const std::string& host = "s1",
                   const std::string& device = "md0") {
  return samples_of(host, DeviceKind::kDisk, device, {"rd_ios", "sync_action"}, samples);
}

std::vector<ExpectedWork> work_of(const std::vector<SampleTable>& tables) {
  const Grouping grouping;
  RecordedWork work(grouping);
  for (const SampleTable& table : tables) work.add(table);
  work.complete(WallTime::max());
  return work.work();
}

TEST(RecordedWork, IsFromTheFirstBusySampleToTheFirstIdleOne) {
  const auto work = work_of({states({{10, {1, 0}}, {11, {2, kCheck}}, {12, {3, kCheck}}}),
                             states({{13, {4, kCheck}}, {14, {5, 0}}, {15, {6, 0}}, {20, {7, kCheck}}})});
  ASSERT_EQ(work.size(), 2U);
  EXPECT_EQ(work[0].what, "md0: check");
  EXPECT_THAT(work[0].where, ElementsAre("s1/md0"));
  EXPECT_EQ(work[0].once, (TimeSpan{second(11), second(14)}));
  EXPECT_EQ(work[1].once, (TimeSpan{second(20), second(20)}));
  EXPECT_FALSE(work[0].goes_on);
  EXPECT_TRUE(work[1].goes_on);
}

TEST(RecordedWork, WhatTurnsIntoSomethingElseIsOnePieceOfWork) {
  const auto work =
      work_of({states({{1, {1, kRecover}}, {2, {1, kCheck}}, {3, {1, kRecover}}, {4, {1, 0}}})});
  ASSERT_EQ(work.size(), 1U);
  EXPECT_EQ(work[0].what, "md0: recover, check");
}

TEST(RecordedWork, FrozenAndUnknownStatesAreNone) {
  EXPECT_THAT(work_of({states({{1, {1, kFrozen}}, {2, {1, 99}}, {3, {1, kMissing}}, {4, {1, 0}}})}),
              IsEmpty());
}

TEST(RecordedWork, ALostSampleDoesNotEndItButALongSilenceDoes) {
  const auto lost = work_of({states({{1, {1, kCheck}}, {2, {1, kMissing}}, {3, {1, kCheck}}, {4, {1, 0}}})});
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_EQ(lost[0].once, (TimeSpan{second(1), second(4)}));
  const auto silent =
      work_of({states({{1, {1, kCheck}}, {2, {1, kCheck}}, {5000, {1, kCheck}}, {5001, {1, 0}}})});
  ASSERT_EQ(silent.size(), 2U);
  EXPECT_EQ(silent[0].once, (TimeSpan{second(1), second(2)}));
  EXPECT_EQ(silent[1].once, (TimeSpan{second(5000), second(5001)}));
}

TEST(RecordedWork, IsOfTheComponentThatStandsForTheArray) {
  testing_support::GroupingBuilder builder;
  builder.servers(3, 1, false);
  Grouping grouping = builder.get();
  grouping.resolver.add_device({"s2", DeviceKind::kDisk, "md0"}, ComponentId{1});
  RecordedWork work(grouping);
  work.add(states({{1, {1, kCheck}}, {2, {1, 0}}}, "s2"));
  work.complete(WallTime::max());
  ASSERT_EQ(work.work().size(), 1U);
  EXPECT_THAT(work.work()[0].where, ElementsAre(grouping.components[1].name));
}

TEST(RecordedWork, OfAnOsdGoesOnOverPauses) {
  const auto osd = [](const std::vector<Sample>& samples) {
    return samples_of("s1", DeviceKind::kDisk, "sdb", {"ceph_work"}, samples);
  };
  const auto scrub = static_cast<double>(bit_of(CephWork::kScrub));
  const auto deep = static_cast<double>(bit_of(CephWork::kDeepScrub));
  const double filled = deep + static_cast<double>(bit_of(CephWork::kBackfill));
  const auto work = work_of({osd({{0, {0}}, {60, {scrub}}, {120, {0}}, {180, {filled}}, {240, {0}}}),
                             osd({{300, {0}}, {360, {0}}, {600, {deep}}, {660, {0}}, {720, {1 << 20}}})});
  ASSERT_EQ(work.size(), 2U);
  EXPECT_EQ(work[0].what, "sdb: Ceph scrub, deep scrub, backfill");
  EXPECT_EQ(work[0].once, (TimeSpan{second(60), second(240)}));
  EXPECT_EQ(work[1].what, "sdb: Ceph deep scrub");
  EXPECT_EQ(work[1].once, (TimeSpan{second(600), second(660)})) << "a bit of a later version is no work";
}

TEST(RecordedWork, WhatHalfOfThePeersAreAtIsNoExcuse) {
  testing_support::GroupingBuilder builder;
  builder.servers(5, 1, false);
  Grouping grouping = builder.get();
  const auto busy_until = [&](std::initializer_list<double> ends, std::string_view counter, double level) {
    RecordedWork work(grouping);
    std::uint32_t server = 0;
    for (const double end : ends) {
      const std::string host = "s" + std::to_string(server + 1);
      grouping.resolver.add_device({host, DeviceKind::kDisk, "d1"}, ComponentId{server++});
      work.add(samples_of(host, DeviceKind::kDisk, "d1", {std::string(counter)}, {{1, {level}}, {end, {0}}}));
    }
    work.complete(WallTime::max());
    return work.work().size();
  };
  EXPECT_EQ(busy_until({501, 501}, "ceph_work", 2), 2U) << "each has one of four at it, too";
  EXPECT_EQ(busy_until({501, 501, 501}, "ceph_work", 2), 0U);
  EXPECT_EQ(busy_until({501, 501, 201}, "ceph_work", 2), 2U) << "for too short a time, except to the third";
  EXPECT_EQ(busy_until({501, 501, 501}, "sync_action", kCheck), 3U) << "arrays are checked by the calendar";
}

TEST(RecordedWork, CountsOnlyWhatIsComplete) {
  const Grouping grouping;
  RecordedWork work(grouping);
  work.add(states({{10, {1, kCheck}}, {11, {1, kCheck}}, {12, {1, 0}}}));
  EXPECT_THAT(work.work(), IsEmpty());
  work.complete(second(11));
  ASSERT_EQ(work.work().size(), 1U);
  EXPECT_EQ(work.work()[0].once, (TimeSpan{second(10), second(10)}));
  EXPECT_TRUE(work.work()[0].goes_on);
  work.complete(second(20));
  EXPECT_EQ(work.work()[0].once, (TimeSpan{second(10), second(12)}));
  EXPECT_FALSE(work.work()[0].goes_on);
}

/// What OSDs and arrays of six hosts are at, a sample every 30 s.
std::vector<std::uint64_t> drawn_levels(std::mt19937_64& random, bool osd) {
  std::vector<std::uint64_t> levels;
  while (levels.size() < 1000) {
    const std::uint64_t level = random() % 3 == 0 ? 0 : 1 + random() % (osd ? 3 : 5);
    levels.insert(levels.end(), 1 + random() % 60, level);
  }
  return levels;
}

/// Saved, restored and given samples again, or forgetting what is over: what is known of all that can still
/// matter is the same.
TEST(RecordedWork, StopsAndForgettingChangeNothing) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    testing_support::GroupingBuilder builder;
    builder.servers(6, 1, false);
    Grouping grouping = builder.get();
    const bool osds = seed % 2 == 0;
    std::vector<std::vector<std::uint64_t>> levels;
    for (std::uint32_t s = 0; s < 6; ++s) {
      grouping.resolver.add_device({"s" + std::to_string(s + 1), DeviceKind::kDisk, "d1"}, ComponentId{s});
      levels.push_back(drawn_levels(random, osds));
    }
    const auto add = [&](RecordedWork& work, std::size_t from, std::size_t to) {
      for (std::size_t s = 0; s < 6; ++s) {
        std::vector<Sample> samples;
        for (std::size_t t = from; t < to; ++t) {
          samples.push_back({30 * static_cast<double>(t), {static_cast<double>(levels[s][t])}});
        }
        work.add(samples_of("s" + std::to_string(s + 1), DeviceKind::kDisk, "d1",
                            {osds ? "ceph_work" : "sync_action"}, samples));
      }
    };
    RecordedWork whole(grouping);
    auto stopped = std::make_unique<RecordedWork>(grouping);
    std::size_t kept = 0;
    for (std::size_t t = 0; t < 1000; t += 20) {
      const WallTime now = second(30 * static_cast<double>(t));
      add(whole, t, t + 20);
      add(*stopped, t, t + 20);
      whole.complete(now);
      stopped->complete(now);
      const WallTime horizon = now - std::chrono::hours(1);
      stopped->forget(horizon);
      if (random() % 4 == 0) {
        auto restored = std::make_unique<RecordedWork>(grouping);
        const StateFormat format{"work"};
        ASSERT_TRUE(restore_state(format, save_state(format, *stopped), *restored).has_value());
        add(*restored, t - std::min<std::size_t>(t, random() % 30), t + 20);
        stopped = std::move(restored);
      }
      const auto recent = [&](std::vector<ExpectedWork> all) {
        std::vector<std::string> lines;
        for (const ExpectedWork& work : all) {
          if (work.once->to < horizon) continue;
          lines.push_back(work.where[0] + " " + work.what + " " + to_iso8601(work.once->from) + " " +
                          to_iso8601(work.once->to) + (work.goes_on ? " goes on" : ""));
        }
        return lines;
      };
      ASSERT_EQ(recent(stopped->work()), recent(whole.work())) << "seed " << seed << ", " << t;
      kept = std::max(kept, stopped->kept());
    }
    EXPECT_LT(4 * kept, 3 * whole.kept()) << "what is over is forgotten";
  }
}

TEST(RecordedWork, TablesWithoutTheLevelSayNothing) {
  EXPECT_THAT(work_of({samples_of("s1", DeviceKind::kDisk, "md0", {"rd_ios"}, {{1, {5}}})}), IsEmpty());
}

}  // namespace
}  // namespace laggard::detect
