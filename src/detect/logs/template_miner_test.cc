#include "detect/logs/template_miner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "detect/logs/log_matcher.h"
#include "detect/logs/log_pattern.h"

namespace laggard::detect {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

/// Templates as people read them.
std::vector<std::string> readable(const TemplateMiner& miner) {
  std::vector<std::string> all;
  for (const MinedTemplate& mined : miner.templates()) {
    std::string text;
    for (const std::string& token : mined.tokens) {
      if (!text.empty()) text += ' ';
      for (const char c : token) {
        if (c == TemplateMiner::kNumber) {
          text += '#';
        } else {
          text += token == TemplateMiner::kAny ? '*' : c;
        }
      }
    }
    all.push_back(text);
  }
  return all;
}

TEST(TemplateMiner, LinesOfOneStatementHaveOneTemplate) {
  TemplateMiner miner;
  EXPECT_EQ(miner.add("volume alpha of sd 2:0:0:0: is odd, tag#12"), 0U);
  EXPECT_EQ(miner.add("volume beta of sd 2:0:0:15: is odd, tag#7"), 1U) << "the tree goes down by two tokens";
  EXPECT_EQ(miner.add("the volume alpha is odd, at 0x7f3a"), 2U);
  EXPECT_EQ(miner.add("the volume beta is  odd, at 0xff"), 2U);
  EXPECT_EQ(miner.add("the volume beta is odd, at last"), 2U);
  EXPECT_EQ(miner.add("the volume"), 3U);
  EXPECT_EQ(miner.add(" \t "), std::nullopt);
  EXPECT_THAT(readable(miner), ElementsAre("volume alpha of sd #:#:#:#: is odd, tag##",
                                           "volume beta of sd #:#:#:#: is odd, tag##",
                                           "the volume * is odd, at *", "the volume"));
  EXPECT_EQ(miner.templates()[2].count, 3U);
  EXPECT_EQ(miner.templates()[2].sample, "the volume alpha is odd, at 0x7f3a");
}

TEST(TemplateMiner, FindsWhatALineIsWithoutLearningFromIt) {
  TemplateMiner miner;
  for (const char* text : {"the volume alpha is odd today", "the volume beta is odd today"}) miner.add(text);
  ASSERT_NE(miner.find("the volume gamma is odd today"), nullptr);
  EXPECT_EQ(miner.find("the volume gamma is gone today"), nullptr);
  EXPECT_EQ(miner.find("another line"), nullptr);
  EXPECT_EQ(miner.find(""), nullptr);
  EXPECT_EQ(miner.templates()[0].count, 2U);
}

TEST(TemplateMiner, ItsMemoryIsBounded) {
  TemplateMiner miner;
  for (std::size_t i = 0; i < TemplateMiner::kMostTemplates; ++i) {
    std::string name;
    for (std::size_t n = i; n > 0; n /= 20) name += static_cast<char>('g' + n % 20);
    ASSERT_TRUE(miner.add("x" + name));
  }
  EXPECT_EQ(miner.add("one more"), std::nullopt);
  EXPECT_THAT(miner.templates(), SizeIs(TemplateMiner::kMostTemplates));
  std::string wide;
  for (int i = 0; i < 100'000; ++i) wide += "a ";
  EXPECT_EQ(miner.add(wide), std::nullopt);
  EXPECT_EQ(TemplateMiner().add(wide), 0U);
}

TEST(TemplateMiner, EachTemplateIsAnExpressionThatItsLinesMatch) {
  if (!LogMatcher::available()) GTEST_SKIP() << "built without RE2";
  const std::vector<std::string> lines{"acme[7]: volume 'a' (50%) *is* odd: ^$.|?+\\{}",
                                       "acme[9]: volume 'b' (51%) *is* odd: ^$.|?+\\{}",
                                       "acme[9]: na\xefve \x1b[2J escape sequences",
                                       "acme[12]: 0xff OST0003 deadbeef00 1a2b-3c4d tab\tseparated"};
  TemplateMiner miner;
  std::vector<std::size_t> numbers;
  for (const std::string& line : lines) numbers.push_back(miner.add(line).value());
  EXPECT_EQ(numbers[0], numbers[1]);
  for (std::size_t l = 0; l < lines.size(); ++l) {
    const std::string expression = to_expression(miner.templates()[numbers[l]]);
    const auto matcher = LogMatcher::make(
        {LogPattern{.name = "x", .part = PartKind::kServer, .match = expression, .sample = {}}});
    ASSERT_TRUE(matcher) << expression << ": " << matcher.error().message();
    EXPECT_NE(matcher->first(lines[l]), nullptr) << expression;
    EXPECT_EQ(matcher->first("acme: something else"), nullptr);
  }
}

}  // namespace
}  // namespace laggard::detect
