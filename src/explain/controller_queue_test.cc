#include "explain/controller_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testing/incidents.h"

namespace laggard::explain {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;
using testing_support::GroupingBuilder;
using testing_support::IncidentsTest;
using testing_support::Seen;

constexpr std::size_t kLuns = 32;

/// An array of whose LUNs controller `a` owns the even ones; servers 0 to 3 are attached to `a`.
class ControllerQueue : public IncidentsTest {
 protected:
  explicit ControllerQueue(bool owned = true)
      : IncidentsTest(owned ? GroupingBuilder().array("x", kLuns, 8).owned("x", kLuns)
                            : GroupingBuilder().array("x", kLuns, 8)) {}

  static Seen slow(std::size_t lun, std::int64_t first, std::int64_t last) {
    return {.component = GroupingBuilder::attachment_name("x", lun, lun % 8), .first = first, .last = last};
  }

  /// A LUN is slow from cell 64 to 4,000, and `others` for a while.
  std::vector<std::string> found(const std::vector<std::size_t>& others, std::size_t lun = 6) {
    std::vector<Seen> seen = behind(others, 1200);
    seen.push_back(slow(lun, 64, 4000));
    return names(incidents(seen));
  }

  static std::vector<Seen> behind(const std::vector<std::size_t>& others, std::int64_t last) {
    std::vector<Seen> seen;
    for (const std::size_t other : others) seen.push_back(slow(other, 640, last));
    return seen;
  }

  static std::vector<std::size_t> all() {
    std::vector<std::size_t> luns;
    for (std::size_t lun = 0; lun < kLuns; ++lun) {
      if (lun != 6 && lun != 13) luns.push_back(lun);
    }
    return luns;
  }

  static std::vector<std::size_t> even() { return {0, 2, 4, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30}; }
};

class NobodysQueue : public ControllerQueue {
 protected:
  NobodysQueue() : ControllerQueue(false) {}
};

TEST_F(ControllerQueue, ASlowLunExplainsWhatWaitsBehindIt) {
  EXPECT_THAT(found(even()), ElementsAre("x-l6 slow-lun", "x slow-array (explained)"));
}

TEST_F(ControllerQueue, TheOtherControllersLunExplainsNothing) {
  EXPECT_THAT(found(even(), 7), UnorderedElementsAre("x-l7 slow-lun", "x slow-array"));
}

TEST_F(ControllerQueue, WhatOutlastsTheLunIsNotItsQueue) {
  std::vector<Seen> seen{slow(6, 64, 4000)};
  for (const std::size_t other : even()) seen.push_back(slow(other, 3840, 4400));
  EXPECT_THAT(names(incidents(seen)), UnorderedElementsAre("x-l6 slow-lun", "x slow-array"));
}

TEST_F(ControllerQueue, LunsOfBothControllersAreNoneOfOnesQueue) {
  EXPECT_THAT(found(all()), UnorderedElementsAre("x-l6 slow-lun", "x slow-array"));
}

TEST_F(ControllerQueue, OneOfManyMayMoveMoreMeanwhile) {
  std::vector<Seen> seen = behind(even(), 1200);
  seen.push_back(slow(6, 64, 4000));
  const Seen busy{"x.8.0", "wr_sec", 640, 1200, 5, 300};
  seen.push_back(busy);
  EXPECT_THAT(names(incidents(seen)), ElementsAre("x-l6 slow-lun", "x slow-array (explained)"));
  for (const char* also : {"x.10.2", "x.12.4"}) seen.push_back({also, "wr_sec", 640, 1200, 5, 300});
  EXPECT_THAT(names(incidents(seen)), UnorderedElementsAre("x-l6 slow-lun", "x slow-array"));
}

TEST_F(ControllerQueue, BothControllersHaveAQueueWhenEachHasASlowLun) {
  std::vector<Seen> seen = behind(all(), 1200);
  seen.push_back(slow(6, 64, 4000));
  seen.push_back(slow(13, 320, 4000));
  EXPECT_THAT(names(incidents(seen)),
              UnorderedElementsAre("x-l6 slow-lun", "x-l13 slow-lun", "x slow-array (explained)"));
}

TEST_F(ControllerQueue, WhatLastsLongerThanTroubleRecursIsMoreThanAQueue) {
  std::vector<Seen> seen = behind(even(), 1500);
  seen.push_back(slow(6, 64, 8000));
  EXPECT_THAT(names(incidents(seen)), UnorderedElementsAre("x-l6 slow-lun", "x slow-array"));
}

TEST_F(ControllerQueue, WhatTakesAQuarterOfTheTimeIsARepair) {
  std::vector<Seen> seen = behind(even(), 1200);
  seen.push_back(slow(6, 64, 1600));
  EXPECT_THAT(names(incidents(seen)), ElementsAre("x-l6 reconstruction"));
}

TEST_F(NobodysQueue, WithoutOwnersNothingIsExplained) {
  EXPECT_THAT(found(even()), UnorderedElementsAre("x-l6 slow-lun", "x slow-array"));
}

}  // namespace
}  // namespace laggard::explain
