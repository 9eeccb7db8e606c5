#include "model/folded_stack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "model/dictionary.h"

namespace laggard {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::string folded(std::string_view program, const std::vector<std::string_view>& frames) {
  return to_folded(program, frames);
}

TEST(FoldedStack, GoesIntoAWordAndComesBack) {
  const std::string word = folded("dd", {"main", "write", "vfs_write"});
  EXPECT_EQ(word, "dd;main;write;vfs_write");
  const FoldedStack stack = folded_stack(word);
  EXPECT_EQ(stack.program, "dd");
  EXPECT_THAT(stack.frames, ElementsAre("main", "write", "vfs_write"));
  EXPECT_EQ(folded("dd", {}), "dd");
  EXPECT_THAT(folded_stack("dd").frames, IsEmpty());
  EXPECT_EQ(folded_stack("").program, "");
}

TEST(FoldedStack, HostileNamesStayInTheirFrame) {
  EXPECT_EQ(folded("a;b", {"f;g", "h\n\x1b[31m", ""}), "a:b;f:g;h  [31m;[unknown]");
}

TEST(FoldedStack, WhatIsTooDeepLosesItsOutside) {
  const std::string name(100, 'f');
  std::vector<std::string_view> frames(200, name);
  frames.back() = "innermost";
  const std::string word = folded("dd", frames);
  EXPECT_LE(word.size(), Dictionary::kLongestWord);
  EXPECT_GT(word.size(), Dictionary::kLongestWord - 200);
  EXPECT_THAT(word, StartsWith("dd;[...];fff"));
  EXPECT_THAT(word, EndsWith(";innermost"));
  const std::string endless(100'000, 'x');
  EXPECT_LE(folded(endless, {endless, endless}).size(), Dictionary::kLongestWord);
}

}  // namespace
}  // namespace laggard
