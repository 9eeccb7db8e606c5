#include "lab/bench/disk_ailment.h"

#include <gtest/gtest.h>

namespace laggard::lab::bench {
namespace {

TEST(DiskAilment, SurvivesItsText) {
  DiskAilment ailment;
  EXPECT_EQ(parse_ailment(to_text(ailment)), ailment);
  ailment.slower = 2.5;
  ailment.stall = 10;
  ailment.every = 420;
  EXPECT_EQ(parse_ailment(to_text(ailment) + "\n"), ailment);
  EXPECT_EQ(parse_ailment(""), DiskAilment{});
  for (const char* text :
       {"slower", "slower=", "slower=0.5", "slower=x", "quicker=2", "failed=2", "stall=-1"}) {
    EXPECT_FALSE(parse_ailment(text)) << text;
  }
}

TEST(DiskAilment, RequestsTakeLongerWhereTheDiskIsSlow) {
  DiskAilment ailment;
  EXPECT_DOUBLE_EQ(ailing_ms(ailment, {0, 8, 0}), 8);
  ailment.slower = 3;
  EXPECT_DOUBLE_EQ(ailing_ms(ailment, {1'000'000'000, 8, 0.5}), 24);
  ailment.region = 0.25;  // The first 16 MB of every 64.
  EXPECT_DOUBLE_EQ(ailing_ms(ailment, {(64LL << 20) + (15 << 20), 8, 0.5}), 24);
  EXPECT_DOUBLE_EQ(ailing_ms(ailment, {(64LL << 20) + (17 << 20), 8, 0.5}), 8);
}

TEST(DiskAilment, SomeRequestsAreRepeated) {
  DiskAilment ailment;
  ailment.failed = 0.01;
  ailment.retry = 500;
  EXPECT_DOUBLE_EQ(ailing_ms(ailment, {0, 8, 0.005}), 508);
  EXPECT_DOUBLE_EQ(ailing_ms(ailment, {0, 8, 0.01}), 8);
}

TEST(DiskAilment, StandsStillAgainAndAgain) {
  DiskAilment ailment;
  EXPECT_DOUBLE_EQ(standstill_ms(ailment, 6000), 0);
  ailment.stall = 1;
  ailment.every = 15;
  EXPECT_DOUBLE_EQ(standstill_ms(ailment, 4999), 0);
  EXPECT_DOUBLE_EQ(standstill_ms(ailment, 5000), 1000);
  EXPECT_NEAR(standstill_ms(ailment, 5400), 600, 1e-6);
  EXPECT_DOUBLE_EQ(standstill_ms(ailment, 6001), 0);
  EXPECT_NEAR(standstill_ms(ailment, 35'250), 750, 1e-6);
}

}  // namespace
}  // namespace laggard::lab::bench
