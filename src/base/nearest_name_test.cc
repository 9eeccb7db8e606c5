#include "base/nearest_name.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace laggard {
namespace {

TEST(NearestName, AThirdOfTheLettersMayDifferTwoInShortWords) {
  constexpr std::array<std::string_view, 4> kNames{"diagnose", "record", "watch", "allow-missing"};
  EXPECT_EQ(nearest_name("diagnos", kNames), "diagnose");
  EXPECT_EQ(nearest_name("digannose", kNames), "diagnose");
  EXPECT_EQ(nearest_name("recrod", kNames), "record");
  EXPECT_EQ(nearest_name("watch", kNames), "watch");
  EXPECT_EQ(nearest_name("allowmisin", kNames), "allow-missing") << "three of ten";
  EXPECT_EQ(nearest_name("judge", kNames), "");
  EXPECT_EQ(nearest_name("", kNames), "");
  EXPECT_EQ(nearest_name(std::string(100000, 'a'), kNames), "") << "is not even looked at";
}

TEST(NearestName, WordsWithNothingInCommonAreNotNear) {
  constexpr std::array<std::string_view, 1> kShort{"xy"};
  EXPECT_EQ(nearest_name("ab", kShort), "") << "as far as the word is long";
  EXPECT_EQ(nearest_name("abcx", kShort), "") << "further than the name is long";
}

TEST(NearestName, OfEquallyNearOnesTheFirst) {
  constexpr std::array<std::string_view, 2> kNames{"disk1", "disk2"};
  EXPECT_EQ(nearest_name("disk", kNames), "disk1");
}

}  // namespace
}  // namespace laggard
