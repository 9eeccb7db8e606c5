// LUNs that many servers share: what is lost, what is slow, and for which part that speaks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "testing/grouping.h"
#include "testing/incidents.h"

namespace laggard::explain {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;
using testing_support::at;
using testing_support::GroupingBuilder;
using testing_support::IncidentsTest;
using testing_support::kLab;
using testing_support::Seen;

/// An array of 32 LUNs and eight servers, four on each controller.
class SharedLuns : public IncidentsTest {
 protected:
  SharedLuns() : IncidentsTest(GroupingBuilder().array("x", 32, 8).array("y", 32, 8)) {}

  static constexpr double kGone = std::numeric_limits<double>::quiet_NaN();
  using Servers = std::vector<std::size_t>;

  static Seen primary(std::size_t lun, std::int64_t first = 64, std::int64_t last = 640) {
    return {.component = GroupingBuilder::attachment_name("x", lun, lun % 8), .first = first, .last = last};
  }

  /// What is seen when LUNs do not get through these servers: zeros or nothing where they were served, load
  /// where they are served now.
  void lose(const Servers& servers, double own, const std::function<bool(std::size_t)>& is_lost,
            std::int64_t first = 64) {
    const auto lost = [&](std::size_t lun, std::size_t server) {
      return is_lost(lun) && std::find(servers.begin(), servers.end(), server) != servers.end();
    };
    for (std::size_t lun = 0; lun < 32; ++lun) {
      for (std::size_t s = 0; s < 8; ++s) {
        if (lost(lun, s) && (std::isnan(own) || s == lun % 8)) {
          see({GroupingBuilder::attachment_name("x", lun, s), "rd_sec", first, 640, 5, own,
               std::isnan(own) ? "cdf" : "absent"});
        }
      }
      if (!lost(lun, lun % 8)) continue;
      std::size_t taker = lun % 8;
      while (lost(lun, taker)) taker = (taker + 1) % 8;
      see({GroupingBuilder::attachment_name("x", lun, taker), "wr_sec", first, 640, 5, 300});
    }
  }

  /// Findings one after the other, and after each so many normal windows.
  void see_by_turns(std::size_t lun, std::size_t well, std::int64_t times = 4) {
    for (std::int64_t first = 64; first < 448 * times; first += 448) {
      Seen slow = primary(lun, first, first + 160);
      slow.normal_since = well;
      see(slow);
    }
  }

  void see(const Seen& seen) { seen_.push_back(seen); }
  [[nodiscard]] const std::vector<Seen>& seen() const { return seen_; }
  std::vector<Incident> found() { return incidents(seen_); }
  static bool all(std::size_t /*lun*/) { return true; }
  static bool even(std::size_t lun) { return lun % 2 == 0; }
  static bool odd(std::size_t lun) { return lun % 2 == 1; }

 private:
  std::vector<Seen> seen_;
};

TEST_F(SharedLuns, AServerThatDoesNotServeAndThoseThatDoInItsPlace) {
  lose({2}, 0, all);
  const auto incidents = found();
  ASSERT_THAT(names(incidents), ElementsAre("x-s2 service-down"));
  EXPECT_THAT(incidents[0].components, ElementsAre("x.10.2", "x.18.2", "x.2.2", "x.26.2"));
  EXPECT_TRUE(std::ranges::any_of(incidents[0].evidence, [](const Evidence& evidence) {
    return evidence.component == "x.2.3" && evidence.note == "has load in place of x.2.2";
  }));
}

TEST_F(SharedLuns, AServerOfWhichNothingIsRecorded) {
  lose({2}, kGone, all);
  EXPECT_THAT(names(found()), ElementsAre("x-s2 server-down"));
}

TEST_F(SharedLuns, AControllerWithoutDevices) {
  lose({0, 1, 2, 3}, kGone, all);
  EXPECT_THAT(names(found()), ElementsAre("xa controller-failed"));
}

TEST_F(SharedLuns, MostServersOfAControllerWithoutDevices) {
  lose({4, 5, 7}, kGone, all);
  EXPECT_THAT(names(found()), ElementsAre("xb luns-inaccessible"));
}

TEST_F(SharedLuns, ZerosOnTheOthersLunsAreAMisconfiguredController) {
  lose({0, 1, 2, 3}, 0, even);
  EXPECT_THAT(names(found()), ElementsAre("xa misconfiguration"));
}

TEST_F(SharedLuns, BothControllersReachOnlyTheirOwn) {
  lose({0, 1, 2, 3}, kGone, even);
  lose({4, 5, 6, 7}, kGone, odd);
  EXPECT_THAT(names(found()), ElementsAre("x coherency-lost"));
}

TEST_F(SharedLuns, FirstTheyWaitThenServersGiveThemUp) {
  for (const std::size_t lun : {1U, 3U, 4U, 6U, 9U, 12U, 14U, 20U, 23U, 27U}) see(primary(lun, 64, 480));
  lose({0, 1, 4, 6}, 0, all, 480);
  EXPECT_THAT(names(found()), ElementsAre("x cascaded-failure"));
}

TEST_F(SharedLuns, ADrawersErrors) {
  for (const std::size_t lun : {0U, 1U, 3U, 4U, 5U, 7U, 9U, 10U, 12U, 14U}) see(primary(lun));
  EXPECT_THAT(names(found()), ElementsAre("x-D drawer-errors")) << "it holds LUNs 0 to 15";
}

TEST_F(SharedLuns, OneLunAndItsWorkload) {
  see(primary(5));
  EXPECT_THAT(names(found()), ElementsAre("x-l5 slow-lun"));
}

TEST_F(SharedLuns, OneLunWithAWorkloadOfItsOwn) {
  Seen busy = primary(5);
  busy.own = 300;
  see(busy);
  EXPECT_THAT(names(found()), ElementsAre("x-l5 busy-lun"));
}

TEST_F(SharedLuns, OneLunInAbsenceOfAWorkload) {
  see(primary(5));
  see({"x.5.6", "await", 64, 640, 5, 100, "standby"});
  EXPECT_THAT(names(found()), ElementsAre("x-l5 silent-lun"));
}

TEST_F(SharedLuns, ARepairedLunIsAboveItsNeighbours) {
  for (const std::size_t lun : {4U, 5U, 7U}) see(primary(lun));
  Seen repaired = primary(6, 32);
  repaired.strength = 9;
  see(repaired);
  const auto incidents = found();
  ASSERT_THAT(names(incidents), ElementsAre("x-l6 reconstruction"));
  EXPECT_EQ(incidents[0].components.size(), 4U);
}

TEST_F(SharedLuns, ARepairedLunIsTheOneWhoseWorkWaitedMostWhateverTheScoresSay) {
  for (const std::size_t lun : {4U, 5U, 7U}) {
    Seen neighbour = primary(lun);
    neighbour.strength = 9;
    neighbour.own = 150;
    see(neighbour);
  }
  Seen repaired = primary(6);
  repaired.own = 200;
  see(repaired);
  see({"x.4.4", "await", 64, 4000, 12, 300, "bias"});
  EXPECT_THAT(names(found()), ElementsAre("x-l6 reconstruction"));
}

TEST_F(SharedLuns, WhoWaitsFarLongerThanAllOthersOfAnArrayIsRepaired) {
  const auto see_all = [&](double wait_of_six) {
    for (std::size_t lun = 0; lun < 32; ++lun) {
      Seen slow = primary(lun);
      slow.confirmed = lun == 6;
      slow.metric = "r_await";
      slow.wait = lun == 6 ? wait_of_six : 110;
      see(slow);
    }
  };
  see_all(131);
  const auto incidents = found();
  ASSERT_THAT(names(incidents), ElementsAre("x-l6 reconstruction"));
  EXPECT_EQ(incidents[0].components.size(), 32U);
}

TEST_F(SharedLuns, WhoWaitsAsLongAsTheOthersOfAnArrayIsNotSingledOut) {
  for (std::size_t lun = 0; lun < 32; ++lun) {
    Seen slow = primary(lun);
    slow.wait = lun == 6 ? 128 : 110;
    see(slow);
  }
  EXPECT_THAT(names(found()), ElementsAre("x slow-array"));
}

TEST_F(SharedLuns, WhoIsDwarfedByARepairedLunGoesWithIt) {
  for (const std::size_t lun : {4U, 5U}) see(primary(lun));
  Seen repaired = primary(6, 32);
  repaired.strength = 9;
  repaired.wait = 190;
  see(repaired);
  Seen little = primary(9, 256);
  little.wait = 130;
  see(little);
  Seen much = primary(21, 400);
  much.wait = 131;
  see(much);
  EXPECT_THAT(names(found()), UnorderedElementsAre("x-l6 reconstruction", "x-l21 slow-lun"))
      << "three times as long is the limit";
}

TEST_F(SharedLuns, WhenAllOthersOfItsControllerWaitALittleItIsRepaired) {
  Seen repaired = primary(5);
  repaired.neighbours_wait = 7;
  see(repaired);
  Seen slow = primary(6);
  slow.neighbours_wait = 3;
  see(slow);
  EXPECT_THAT(names(found()), UnorderedElementsAre("x-l5 reconstruction", "x-l6 slow-lun"));
}

TEST_F(SharedLuns, WhatMovesMoreForAMomentHasNoWorkOfItsOwn) {
  see(primary(5, 64, 2000));
  Seen moment = primary(5, 64, 256);
  moment.metric = "rd_sec";
  moment.own = 300;
  moment.strength = 9;
  see(moment);
  EXPECT_THAT(names(found()), ElementsAre("x-l5 slow-lun"));
}

TEST_F(SharedLuns, WhereReadsAreKnownTheyTellWhatComesAndGoes) {
  see_by_turns(5, 5);
  Seen reads = primary(5, 64, 1792);
  reads.metric = "r_await";
  see(reads);
  EXPECT_THAT(names(found()), ElementsAre("x-l5 slow-lun")) << "writes hid it in between";
}

TEST_F(SharedLuns, ALunThatIsWellBetweenItsFindingsComesAndGoes) {
  see_by_turns(5, 5);
  EXPECT_THAT(names(found()), ElementsAre("x-l5 oscillation"));
}

TEST_F(SharedLuns, TwoLongPausesAreEnoughAndOneIsNot) {
  see_by_turns(5, 3, 3);
  see_by_turns(6, 3, 2);
  EXPECT_THAT(names(found()), UnorderedElementsAre("x-l5 oscillation", "x-l6 slow-lun"));
}

TEST_F(SharedLuns, ALunWhosePausesAreEverybodysDoesNotComeAndGo) {
  see_by_turns(5, 1);
  EXPECT_THAT(names(found()), ElementsAre("x-l5 slow-lun"));
}

TEST_F(SharedLuns, WhatTwoDistancesSeeAreNotTwiceAsManyPauses) {
  for (const std::int64_t first : {64, 512}) {
    for (const char* detector : {"cdf", "median"}) {
      const std::int64_t later = first + (detector == std::string_view("cdf") ? 0 : 224);
      Seen slow = primary(5, later, later + 160);
      slow.detector = detector;
      slow.normal_since = 5;
      see(slow);
    }
  }
  EXPECT_THAT(names(found()), ElementsAre("x-l5 slow-lun"));
}

TEST_F(SharedLuns, AShortTroubleTakesNoLongOneWithIt) {
  Seen strong = primary(6, 64, 256);
  strong.strength = 9;
  see(strong);
  see({"x.6.6", "await", 64, 4000, 2, 100, "bias"});
  see(primary(4, 96, 4000));
  see(primary(5, 96, 4000));
  EXPECT_THAT(names(found()), UnorderedElementsAre("x-l6 slow-lun", "x-l4 slow-lun", "x-l5 slow-lun"))
      << "what bias says goes on for as long as its horizon";
}

TEST_F(SharedLuns, AShortCoincidenceMakesNoRepair) {
  Seen strong = primary(6, 64, 6400);
  strong.strength = 9;
  see(strong);
  see(primary(4, 640, 960));
  see(primary(5, 640, 960));
  EXPECT_THAT(names(found()), UnorderedElementsAre("x-l6 slow-lun", "x-l4 slow-lun", "x-l5 slow-lun"));
}

TEST_F(SharedLuns, LunsThatBecomeSlowAtDifferentTimesAreNotRepaired) {
  see(primary(4, 64, 2000));
  see(primary(5, 700, 2000));
  see(primary(6, 1400, 2000));
  EXPECT_THAT(names(found()), ElementsAre("x-l4 slow-lun", "x-l5 slow-lun", "x-l6 slow-lun"));
}

TEST_F(SharedLuns, TwoProblemsAtOnceOfOneArray) {
  lose({2}, 0, all);
  see(primary(5));
  EXPECT_THAT(names(found()), UnorderedElementsAre("x-s2 service-down", "x-l5 slow-lun"));
}

TEST_F(SharedLuns, WhatWentBeforeDoesNotMoveTheBeginning) {
  lose({2}, 0, all, 6400);
  see({"x.2.2", "await", 64, 256});
  for (Incident& incident : found()) {
    if (incident.blame.name != "x-s2") continue;
    EXPECT_EQ(incident.since, at(6400));
  }
}

TEST_F(SharedLuns, SeveralThatAreOnlySuspectedConfirmEachOther) {
  for (const std::size_t lun : {2U, 10U, 18U, 26U}) {
    Seen suspected = primary(lun);
    suspected.confirmed = false;
    suspected.growth = {{at(128), 10, 1}, {at(160), 15, 2}, {at(192), 20, 3}};
    see(suspected);
  }
  IncidentOptions production = kLab;
  production.confirm_persistence = 100;
  const auto together = incidents(seen(), production);
  ASSERT_EQ(together.size(), 1U);
  EXPECT_EQ(together[0].blame.name, "x-s2");
  EXPECT_EQ(together[0].state, IncidentState::kConfirmed);
  EXPECT_EQ(together[0].confirmed_since, at(160)) << "four times 15 reach 60";
  EXPECT_EQ(together[0].faulty_since, at(128)) << "four times 10 reach 6";
}

}  // namespace
}  // namespace laggard::explain
