#include "explain/losses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "explain/episodes.h"
#include "testing/grouping.h"

namespace laggard::explain {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;
using testing_support::GroupingBuilder;

/// An array of 32 LUNs and eight servers, of which the first four are attached to one controller. Windows are
/// one cell apart, pauses may take five.
class LossesTest : public testing::Test {
 protected:
  void add(std::size_t lun, std::size_t server, std::int64_t first, std::int64_t last, bool lost) {
    spans_.push_back({system_.index(GroupingBuilder::attachment_name("x", lun, server)), first, last, lost});
  }
  /// All LUNs that the server should serve.
  void lose(std::size_t server, std::int64_t first, std::int64_t last) {
    for (std::size_t l = server; l < 32; l += 8) add(l, server, first, last, true);
  }
  void slow(std::size_t lun, std::int64_t first, std::int64_t last) { add(lun, lun % 8, first, last, false); }

  [[nodiscard]] LossSplit split() const { return split_losses(PartMap(system_.get()), spans_, {5, 20}); }

  /// `server x-s2 10..20`
  [[nodiscard]] std::vector<std::string> found() const {
    std::vector<std::string> names;
    for (const Episode& episode : find_episodes(PartMap(system_.get()), spans_, {1, 5, 20})) {
      names.push_back(std::string(to_name(episode.blamed.blame.kind)) + " " + episode.blamed.blame.name +
                      " " + std::to_string(episode.first) + ".." + std::to_string(episode.last));
    }
    return names;
  }

 private:
  GroupingBuilder system_ = GroupingBuilder().array("x", 32, 8);
  std::vector<AffectedSpan> spans_;
};

TEST_F(LossesTest, WithoutALossNothingIsSplit) {
  slow(3, 10, 20);
  EXPECT_THAT(split().batches, IsEmpty());
  EXPECT_THAT(split().others, ElementsAre(0));
}

TEST_F(LossesTest, ServersThatAreLostHoursApartAreNotTheirArray) {
  // Half of the array's LUNs are lost in the end.
  lose(2, 10, 90);
  for (const std::size_t s : {4U, 5U, 6U}) lose(s, 40, 90);
  EXPECT_THAT(found(), ElementsAre("server x-s2 10..90", "controller xb 40..90"));
}

TEST_F(LossesTest, ServersThatAreLostAtOnceAre) {
  for (const std::size_t s : {0U, 2U, 5U, 7U}) lose(s, s < 4 ? 10 : 12, 90);
  EXPECT_THAT(found(), ElementsAre("array x 10..90"));
}

TEST_F(LossesTest, WhoWasLostBeforeSpeaksForNeitherPart) {
  for (const std::size_t s : {0U, 1U, 2U, 3U}) lose(s, 10, 90);
  // Nobody can tell this from the array's, but the other controller is enough.
  for (const std::size_t s : {4U, 5U}) lose(s, 40, 90);
  const LossSplit parts = split();
  ASSERT_THAT(parts.batches, SizeIs(2));
  EXPECT_THAT(parts.batches[1].excused, SizeIs(16));
  EXPECT_THAT(found(), ElementsAre("controller xa 10..90", "controller xb 40..90"));
}

TEST_F(LossesTest, AFewStrangersMakeNoArrayOfAControllersLoss) {
  for (const std::size_t s : {4U, 5U, 6U}) lose(s, 10, 90);
  for (const std::size_t s : {0U, 1U, 2U}) {
    lose(s, 40, 90);
    for (std::size_t l = 0; l < 32; ++l) {
      if (l % 8 >= 3 && l % 8 <= 5) add(l, s, 40, 90, true);
    }
  }
  // At a server of the other controller that has lost nothing else.
  for (const std::size_t l : {0U, 8U}) add(l, 7, 40, 90, true);
  EXPECT_THAT(found(), testing::Contains("controller xa 40..90"));
}

TEST_F(LossesTest, WhatIsSlowWhileOthersAreLostIsAnotherTrouble) {
  lose(2, 10, 60);
  slow(10, 20, 50);  // Itself lost just then.
  slow(11, 5, 80);
  EXPECT_THAT(found(), ElementsAre("server x-s2 10..60", "lun x-l11 5..80"));
}

TEST_F(LossesTest, AnIdleAttachmentIsSeenToBeGoneLate) {
  lose(2, 10, 90);
  lose(5, 40, 90);
  add(1, 2, 41, 90, true);  // Second to serve its LUN; seen just when the other server is lost.
  add(4, 5, 70, 90, true);  // The same at the other server.
  add(9, 6, 41, 90, true);  // At a server that lost nothing else.
  add(9, 7, 60, 90, true);
  const LossSplit parts = split();
  ASSERT_THAT(parts.batches, SizeIs(2));
  EXPECT_THAT(parts.batches[0].spans, ElementsAre(0, 1, 2, 3, 8));
  EXPECT_THAT(parts.batches[1].spans, ElementsAre(4, 5, 6, 7, 9, 10, 11));
}

TEST_F(LossesTest, ALossWithPausesIsOne) {
  add(2, 2, 10, 20, true);
  add(2, 2, 35, 60, true);
  add(2, 2, 90, 95, true);
  const LossSplit parts = split();
  ASSERT_THAT(parts.batches, SizeIs(2));
  EXPECT_THAT(parts.batches[0].spans, ElementsAre(0, 1));
  EXPECT_THAT(parts.batches[1].spans, ElementsAre(2));
}

}  // namespace
}  // namespace laggard::explain
