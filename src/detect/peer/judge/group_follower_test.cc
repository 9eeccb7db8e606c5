#include "detect/peer/judge/group_follower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace laggard::detect {
namespace {
using ::testing::IsNull;
using ::testing::Pointee;
using Flags = SecondOpinions::Flags;

JudgedWindow window_at(std::int64_t index, std::int64_t cell) {
  JudgedWindow judged;
  judged.window.index = index;
  judged.cell = cell;
  return judged;
}

class SecondOpinionsTest : public testing::Test {
 protected:
  const MetricSpec* metric_ = find_metric("await");
  SecondOpinions opinions_;
};

TEST_F(SecondOpinionsTest, AreAboutTheSameWindowMetricAndDetector) {
  opinions_.add(window_at(5, 60), metric_, "cdf", {0, 1});
  opinions_.add(window_at(5, 60), metric_, "bias", {1, 0});
  EXPECT_THAT(opinions_.about(window_at(5, 60), metric_, "cdf"), Pointee(Flags{0, 1}));
  EXPECT_THAT(opinions_.about(window_at(5, 60), metric_, "bias"), Pointee(Flags{1, 0}));
  EXPECT_THAT(opinions_.about(window_at(5, 60), metric_, "kl"), IsNull());
  EXPECT_THAT(opinions_.about(window_at(5, 60), find_metric("rd_sec"), "cdf"), IsNull());
  EXPECT_THAT(opinions_.about(window_at(6, 60), metric_, "cdf"), IsNull());
}

TEST_F(SecondOpinionsTest, TheFutureIsNotKnownAndThePastForgotten) {
  opinions_.add(window_at(5, 60), metric_, "cdf", {0});
  opinions_.add(window_at(6, 90), metric_, "cdf", {1});
  EXPECT_THAT(opinions_.about(window_at(5, 59), metric_, "cdf"), IsNull()) << "not said yet";
  EXPECT_THAT(opinions_.about(window_at(5, 89), metric_, "cdf"), Pointee(Flags{0}));
  EXPECT_THAT(opinions_.about(window_at(5, 90), metric_, "cdf"), IsNull())
      << "it speaks of the next one by now";
  EXPECT_THAT(opinions_.about(window_at(6, 90), metric_, "cdf"), Pointee(Flags{1}));
}

TEST_F(SecondOpinionsTest, OfARunThatIsOverTheLastOneIsKept) {
  opinions_.add(window_at(5, 60), metric_, "cdf", {0});
  opinions_.add(window_at(6, 90), metric_, "cdf", {1});
  opinions_.end_run();
  EXPECT_THAT(opinions_.about(window_at(5, 60), metric_, "cdf"), IsNull());
  EXPECT_THAT(opinions_.about(window_at(6, 95), metric_, "cdf"), Pointee(Flags{1}));
}

}  // namespace
}  // namespace laggard::detect
