#include "report/quantity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "report/examples.h"

namespace laggard::report {
namespace {

TEST(Humanise, ThreeDigitsAndTheUnitPeopleUse) {
  EXPECT_EQ(humanise(142.4, "ms"), "142 ms");
  EXPECT_EQ(humanise(0.0421, "ms"), "42.1 us");
  EXPECT_EQ(humanise(103'250, "ms"), "103 s");
  EXPECT_EQ(humanise(999.97, "ms"), "1 s");
  EXPECT_EQ(humanise(0, "ms"), "0 ms");
  EXPECT_EQ(humanise(61234.5, "sectors/s"), "31.4 MB/s");
  EXPECT_EQ(humanise(0, "bytes/s"), "0 B/s");
  EXPECT_EQ(humanise(12345, "packets/s"), "12.3k packets/s");
  EXPECT_EQ(humanise(87.25, "%"), "87.2 %");
  EXPECT_EQ(humanise(0.5, "any"), "0.5");
  EXPECT_EQ(humanise(std::nan(""), "ms"), "-");
  EXPECT_EQ(humanise(std::numeric_limits<double>::infinity()), "-");
  EXPECT_EQ(humanise(-1.5e6), "-1.5M");
  EXPECT_EQ(humanise(3e12), "3000G");
}

TEST(Ratio, SaysNothingWhereThereIsNothingToSay) {
  EXPECT_EQ(ratio(142.4, 18.31), "7.8x");
  EXPECT_EQ(ratio(1424, 18.31), "78x");
  EXPECT_EQ(ratio(2.2, 87.5), "0.025x");
  EXPECT_EQ(ratio(0, 5), "0x");
  EXPECT_EQ(ratio(7000, 5.79), "1209x");
  EXPECT_EQ(ratio(2e9, 1), "2Gx");
  EXPECT_EQ(ratio(5, 0), std::nullopt);
  EXPECT_EQ(ratio(std::nullopt, 5), std::nullopt);
  EXPECT_EQ(ratio(std::nan(""), 5), std::nullopt);
}

TEST(Clockface, ShowsTheDateOnlyWhenThereAreSeveral) {
  EXPECT_EQ(Clockface(examples::at(0), examples::at(60)).moment(examples::at(1)), "19:21:35Z");
  EXPECT_EQ(Clockface(examples::at(0), examples::at(86400)).moment(examples::at(1)), "2026-11-20 19:21:35Z");
  EXPECT_EQ(coarse(std::chrono::seconds(3661)), "1h1m");
  EXPECT_EQ(coarse(std::chrono::milliseconds(2500)), "2s");
  EXPECT_EQ(coarse(std::chrono::seconds(90061)), "1d1h");
}

}  // namespace
}  // namespace laggard::report
