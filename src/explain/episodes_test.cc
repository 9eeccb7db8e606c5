#include "explain/episodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/grouping.h"

namespace laggard::explain {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using testing_support::GroupingBuilder;

/// An array of 32 LUNs and eight servers. Windows are one cell apart, pauses may take five.
class EpisodesTest : public testing::Test {
 protected:
  void lun(std::size_t lun, std::int64_t first, std::int64_t last) {
    spans_.push_back({system_.index(GroupingBuilder::attachment_name("x", lun, lun % 8)), first, last});
  }

  /// `server x-s2 10..20`
  std::vector<std::string> found() {
    std::vector<std::string> names;
    for (const Episode& episode : find_episodes(PartMap(system_.get()), spans_, {1, 5})) {
      names.push_back(std::string(to_name(episode.blamed.blame.kind)) + " " + episode.blamed.blame.name +
                      " " + std::to_string(episode.first) + ".." + std::to_string(episode.last));
    }
    return names;
  }

 private:
  GroupingBuilder system_ = GroupingBuilder().array("x", 32, 8);
  std::vector<AffectedSpan> spans_;
};

TEST_F(EpisodesTest, NothingIsNothing) { EXPECT_THAT(found(), IsEmpty()); }

TEST_F(EpisodesTest, AtTheSameTimeItIsTheServer) {
  for (const std::size_t l : {2U, 10U, 18U}) lun(l, 10, 20);
  EXPECT_THAT(found(), ElementsAre("server x-s2 10..20"));
}

TEST_F(EpisodesTest, OneAfterTheOtherItIsNot) {
  lun(2, 10, 20);
  lun(10, 30, 40);
  lun(18, 50, 60);
  EXPECT_THAT(found(), UnorderedElementsAre("lun x-l2 10..20", "lun x-l10 30..40", "lun x-l18 50..60"));
}

TEST_F(EpisodesTest, ALongTroubleIsNotPartOfAShortOne) {
  lun(2, 0, 200);
  for (const std::size_t l : {10U, 18U, 26U}) lun(l, 100, 120);
  EXPECT_THAT(found(), UnorderedElementsAre("lun x-l2 0..200", "server x-s2 100..120"));
}

TEST_F(EpisodesTest, ItGrowsAndFades) {
  for (const std::size_t l : {2U, 10U, 18U, 26U}) lun(l, 20, 40);
  lun(2, 10, 19);
  lun(10, 44, 50);
  EXPECT_THAT(found(), ElementsAre("server x-s2 10..50")) << "a quarter of the peak, and a pause of three";
}

TEST_F(EpisodesTest, AfterALongPauseItIsAnother) {
  for (const std::int64_t t : {10, 100}) {
    for (const std::size_t l : {2U, 10U, 18U}) lun(l, t, t + 10);
  }
  EXPECT_THAT(found(), UnorderedElementsAre("server x-s2 10..20", "server x-s2 100..110"));
}

TEST_F(EpisodesTest, TwoProblemsOfOneArrayAtTheSameTime) {
  for (const std::size_t l : {2U, 10U, 18U, 26U}) lun(l, 10, 50);
  for (const std::size_t l : {5U, 13U, 21U}) lun(l, 12, 50);
  lun(31, 15, 50);
  EXPECT_THAT(found(), ElementsAre("server x-s2 10..50", "server x-s5 12..50", "lun x-l31 15..50"));
}

}  // namespace
}  // namespace laggard::explain
