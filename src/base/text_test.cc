#include "base/text.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <cstdint>
#include <string>

#include "testing/property.h"

namespace laggard {
namespace {

TEST(Text, TheFirstFewAndHowManyMore) {
  const std::array<std::string, 3> disks{"sda", "sdb", "sdc"};
  EXPECT_EQ(first_few(disks, 2), "sda, sdb and 1 more");
  EXPECT_EQ(first_few(disks, 3), "sda, sdb, sdc");
  EXPECT_EQ(first_few(disks, 4, " "), "sda sdb sdc");
  EXPECT_EQ(first_few({}, 2), "");
}

TEST(Text, NaturalOrderCounts) {
  EXPECT_TRUE(natural_less("sd2", "sd10"));
  EXPECT_TRUE(natural_less("fs9/sda", "fs10/sda"));
  EXPECT_FALSE(natural_less("fs10", "fs9"));
  EXPECT_TRUE(natural_less("a", "b"));
  EXPECT_FALSE(natural_less("a", "a"));
}

TEST(Text, NaturalOrderIsStrictAndWeak) {
  expect_property("exactly one of a<b, b<a, a==b", [](const std::string& a, const std::string& b) {
    RC_ASSERT(int{natural_less(a, b)} + int{natural_less(b, a)} + int{a == b} == 1);
  });
}

TEST(Text, Bytes) {
  EXPECT_EQ(parse_bytes("10G"), std::uint64_t{10} << 30);
  EXPECT_EQ(parse_bytes("17"), 17U);
  EXPECT_EQ(parse_bytes("x"), std::nullopt);
  EXPECT_EQ(parse_bytes("99999999999999999T"), std::nullopt);
  EXPECT_EQ(human_bytes(1234567), "1.23 MB");
}

}  // namespace
}  // namespace laggard
