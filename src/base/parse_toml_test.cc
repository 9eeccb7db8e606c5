#include "base/parse_toml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace laggard {
namespace {

using ::testing::HasSubstr;

std::string repeated(const std::string& text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

std::string refusal(const std::string& text) {
  const auto table = parse_toml(text, "f.toml");
  return table ? "" : table.error().message();
}

TEST(ParseToml, NestingThatWouldTakeTheLibraryDownIsRefusedWithItsLine) {
  const std::string deep = "f.toml:2: values are nested more than 32 deep";
  const std::string parts = "f.toml:2: a key has more than 32 parts";
  for (const std::size_t n : {40UL, 50'000UL, 1'000'000UL}) {
    EXPECT_EQ(refusal("\n" + repeated("a.", n) + "a = 1\n"), parts);
    EXPECT_EQ(refusal("\n[" + repeated("\"a\" . ", n) + "'a']\n"), parts);
    EXPECT_EQ(refusal("\n[[" + repeated("a.", n) + "a]]\n"), parts);
    EXPECT_EQ(refusal("\na = " + repeated("[", n)), deep);
    EXPECT_EQ(refusal("\na = " + repeated("[", n) + repeated("]", n)), deep);
    EXPECT_EQ(refusal("\na = " + repeated("{a = ", n) + "1" + repeated("}", n)), deep);
    EXPECT_EQ(refusal("\na = " + repeated("{a.b.c = [", n)), deep);
  }
}

TEST(ParseToml, WhatLooksLikeNestingInTextsIsNone) {
  const std::string many = repeated("[{a.", 100);
  EXPECT_EQ(refusal("a = \"\\\"" + many + "\" # " + many + "\nb = '" + many + "\\'\nc = \"\"\"\n" + many +
                    "\n\\\"\"\"" + many + "\"\"\"\nd = '''" + many + "''" + many + "'''\n"),
            "");
  // Many at one depth, and as deep as it may be.
  EXPECT_EQ(refusal("a = [" + repeated("{b.c = 1.5},\n", 5000) + "]"), "");
  EXPECT_EQ(refusal(repeated("a.", 31) + "a = " + repeated("[", 32) + repeated("]", 32)), "");
}

TEST(ParseToml, MistakesHaveTheirLine) {
  EXPECT_THAT(refusal("a = 1\nb = \n"), HasSubstr("f.toml:2: "));
  EXPECT_THAT(refusal("a = 1\nb = \"\n\""), HasSubstr("f.toml:2: "));
  EXPECT_THAT(refusal("a = \"\xff\x1b\""), HasSubstr("f.toml:1: "));
  EXPECT_THAT(refusal(std::string(33U << 20U, '\n')), HasSubstr("f.toml: is longer than 32 MiB"));
}

}  // namespace
}  // namespace laggard
