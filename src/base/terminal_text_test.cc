#include "base/terminal_text.h"

#include <gtest/gtest.h>

#include <random>

namespace laggard {
namespace {

using std::string_view_literals::operator""sv;

TEST(TerminalText, WhatATerminalWouldObeyIsShown) {
  EXPECT_EQ(printable("a\x1b]0;owned\a"), "a\\x1b]0;owned\\x07");
  EXPECT_EQ(printable("\0\r\n\t\x7f"sv), "\\x00\\x0d\\x0a\\x09\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "2J"),
            "\\x9b2J");  // C1: CSI in one character
  EXPECT_EQ(printable("\x9b"
                      "2J"),
            "\\x9b2J");                            // the same as a bare byte
  EXPECT_EQ(printable("\xc0\x9b"), "\\xc0\\x9b");  // overlong ESC
  EXPECT_EQ(printable("\xe2\x80\xae"
                      "dab"),
            "\\u202edab");  // right-to-left override
  EXPECT_EQ(printable("\xe2\x81\xa9\xe2\x80\xa8"), "\\u2069\\u2028");
  EXPECT_EQ(printable("\xe2\x80"), "\\xe2\\x80");
  EXPECT_EQ(printable("Zürich … 東京 sd[a-z]"), "Zürich … 東京 sd[a-z]");
  EXPECT_TRUE(is_printable("Zürich"));
  EXPECT_FALSE(is_printable("Z\x1b"));
}

TEST(TerminalText, OutputKeepsItsLinesAndOnlyOurStyling) {
  EXPECT_EQ(terminal_text("a\nb\r\n"), "a\nb\\x0d\n");
  EXPECT_EQ(terminal_text("\x1b[1;31mred\x1b[0m"), "\\x1b[1;31mred\\x1b[0m");
  EXPECT_EQ(terminal_text("\x1b[1;31mred\x1b[0m\r\x1b[K", Styling::kOurs), "\x1b[1;31mred\x1b[0m\r\x1b[K");
  EXPECT_EQ(terminal_text("\x1b[2J\x1b[5m\r", Styling::kOurs), "\\x1b[2J\\x1b[5m\\x0d");
}

/// Output arrives in pieces of any size, which may end in the middle of a character.
TEST(TerminalText, PiecesMakeTheSameTextAsTheWhole) {
  const std::string text = "Zü…\xe2\x80\xae\x1b[1mbold\x1b[0m\x1b[2J\xc2\x9b\xff\r\x1b[K\n\xe2\x80";
  for (const Styling styling : {Styling::kNone, Styling::kOurs}) {
    const std::string whole = terminal_text(text, styling);
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
      TerminalText terminal(styling);
      std::string shown;
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t n = 1 + random() % 5;
        shown += terminal.take(std::string_view(text).substr(at, n));
        at += n;
      }
      ASSERT_EQ(shown + terminal.finish(), whole);
    }
  }
}

TEST(TerminalText, DocumentsSayTheSameWithEscapes) {
  EXPECT_EQ(with_escapes("{\n\t\"a\": \"\xc2\x9b\x7f\xe2\x80\xae…\"\n}"),
            "{\n\t\"a\": \"\\u009b\\u007f\\u202e…\"\n}");
}

TEST(FirstCodePoint, TakesApartWhatIsThere) {
  EXPECT_EQ(first_code_point("a").value, U'a');
  EXPECT_EQ(first_code_point("\xe2\x82\xac").value, U'\u20ac');
  EXPECT_EQ(first_code_point("\xf0\x9f\x98\x80").bytes, 4U);
  for (const std::string_view bad :
       {"\x80", "\xc0\xaf", "\xe2\x82", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff"}) {
    EXPECT_FALSE(first_code_point(bad).valid) << printable(bad);
    EXPECT_EQ(first_code_point(bad).bytes, 1U);
  }
}

}  // namespace
}  // namespace laggard
