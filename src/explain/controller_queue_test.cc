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
  std::vector<std::string> found(std::vector<std::size_t> others, std::int64_t last = 1200,
                                 std::size_t lun = 6) {
    Seen own = slow(lun, 64, 4000);
    own.strength = 3;
    std::vector<Seen> seen{own};
    for (const std::size_t other : others) {
      seen.push_back(slow(other, 640, last));
    }
    return names(incidents(seen));
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
  EXPECT_THAT(found(even(), 1200, 7), UnorderedElementsAre("x-l7 slow-lun", "x slow-array"));
}

TEST_F(ControllerQueue, WhatOutlastsTheLunIsNotItsQueue) {
  EXPECT_THAT(found(even(), 5000), UnorderedElementsAre("x-l6 slow-lun", "x slow-array"));
}

TEST_F(ControllerQueue, LunsOfBothControllersAreNoQueue) {
  std::vector<std::size_t> all = even();
  for (std::size_t lun = 1; lun < kLuns; lun += 2) all.push_back(lun);
  EXPECT_THAT(found(all), UnorderedElementsAre("x-l6 slow-lun", "x slow-array"));
}

TEST_F(NobodysQueue, WithoutOwnersNothingIsExplained) {
  EXPECT_THAT(found(even()), UnorderedElementsAre("x-l6 slow-lun", "x slow-array"));
}

}  // namespace
}  // namespace laggard::explain
