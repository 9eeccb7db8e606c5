#include "detect/background/recorded_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "base/missing.h"
#include "model/ceph_work.h"
#include "testing/grouping.h"
#include "testing/property.h"
#include "testing/samples.h"

namespace laggard::detect {
namespace {
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing_support::second;

constexpr double kExact = 1e-9;

TEST(CommonWork, CountsThePeersThatAreAtItMeanwhile) {
  const std::vector<PeerWork> pieces{{{second(0), second(100)}, {"scrub"}},
                                     {{second(50), second(150)}, {"scrub"}},
                                     {{second(75), second(85)}, {"scrub"}},
                                     {{second(500), second(500)}, {"scrub"}}};
  EXPECT_THAT(peers_meanwhile(pieces), ElementsAre(DoubleNear(0.6, kExact), DoubleNear(0.6, kExact),
                                                   DoubleNear(2, kExact), DoubleNear(0, kExact)));
  EXPECT_THAT(peers_meanwhile({}), IsEmpty());
}

TEST(CommonWork, LessWorkIsNotTheSame) {
  const std::vector<PeerWork> pieces{{{second(0), second(10)}, {"scrub", "backfill"}},
                                     {{second(0), second(10)}, {"scrub"}}};
  EXPECT_THAT(peers_meanwhile(pieces), ElementsAre(DoubleNear(0, kExact), DoubleNear(1, kExact)));
}

TEST(CommonWork, IsItsDefinition) {
  expect_property("the sum of overlaps over the length", [] {
    std::vector<PeerWork> pieces;
    for (int i = *rc::gen::inRange(1, 12); i > 0; --i) {
      const int from = *rc::gen::inRange(0, 1000);
      PeerWork piece{{second(from), second(from + *rc::gen::inRange(1, 300))}, {}};
      for (const std::string_view name : {"scrub", "recovery"}) {
        if (*rc::gen::arbitrary<bool>()) piece.names.push_back(name);
      }
      pieces.push_back(piece);
    }
    const std::vector<double> counts = peers_meanwhile(pieces);
    const auto has = [](const PeerWork& piece, std::string_view name) {
      return std::ranges::find(piece.names, name) != piece.names.end();
    };
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      double wanted = 0;
      for (std::size_t j = 0; j < pieces.size(); ++j) {
        const bool same =
            std::ranges::all_of(pieces[i].names, [&](std::string_view name) { return has(pieces[j], name); });
        const Duration overlap = std::min(pieces[i].span.to, pieces[j].span.to) -
                                 std::max(pieces[i].span.from, pieces[j].span.from);
        if (i == j || !same || overlap < Duration::zero()) continue;
        wanted += static_cast<double>(overlap.count()) /
                  static_cast<double>((pieces[i].span.to - pieces[i].span.from).count());
      }
      RC_ASSERT(std::abs(counts[i] - wanted) < 1e-6);
    }
  });
}

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
  return work.work();
}

TEST(RecordedWork, IsFromTheFirstBusySampleToTheFirstIdleOne) {
  const auto work = work_of({states({{10, {1, 0}}, {11, {2, kCheck}}, {12, {3, kCheck}}}),
                             states({{13, {4, kCheck}}, {14, {5, 0}}, {15, {6, 0}}, {20, {7, kCheck}}})});
  ASSERT_EQ(work.size(), 2U);
  EXPECT_EQ(work[0].what, "md0: check");
  EXPECT_THAT(work[0].where, ElementsAre("s1/md0"));
  EXPECT_EQ(work[0].once, (TimeSpan{second(11), second(14)}));
  EXPECT_EQ(work[1].once, (TimeSpan{second(20), second(20)})) << "still going on";
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
    return work.work().size();
  };
  EXPECT_EQ(busy_until({501, 501}, "ceph_work", 2), 2U) << "each has one of four at it, too";
  EXPECT_EQ(busy_until({501, 501, 501}, "ceph_work", 2), 0U);
  EXPECT_EQ(busy_until({501, 501, 201}, "ceph_work", 2), 2U) << "for too short a time, except to the third";
  EXPECT_EQ(busy_until({501, 501, 501}, "sync_action", kCheck), 3U) << "arrays are checked by the calendar";
}

TEST(RecordedWork, TablesWithoutTheLevelSayNothing) {
  EXPECT_THAT(work_of({samples_of("s1", DeviceKind::kDisk, "md0", {"rd_ios"}, {{1, {5}}})}), IsEmpty());
}

}  // namespace
}  // namespace laggard::detect
