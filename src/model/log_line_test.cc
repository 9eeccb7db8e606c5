#include "model/log_line.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testing/property.h"

namespace laggard {
namespace {

/// What comes out of a table with this one line.
std::string again(const std::string& text) {
  EventTable table("fs1", std::string(kLogKind));
  LogAppender appender(table);
  EXPECT_TRUE(appender.append(
      {.time = from_unix_ns(1), .program = "kernel", .pid = {}, .severity = 3, .text = text}));
  std::string out;
  LogLines(table).text(0, out);
  return out;
}

std::string template_of(const std::string& text) {
  EventTable table("fs1", std::string(kLogKind));
  LogAppender appender(table);
  EXPECT_TRUE(appender.append({.time = {}, .program = {}, .pid = {}, .severity = {}, .text = text}));
  return std::string(table.words().text(table.whats()[0]));
}

TEST(LogLine, NumbersLeaveTheTemplate) {
  EXPECT_EQ(template_of("sd 2:0:0:0: [sdb] tag#12 FAILED"), "sd <d>:<d>:<d>:<d>: [sdb] tag#<d> FAILED");
  EXPECT_EQ(template_of("fs-OST0003 at 0x1f2e, 7f00aa12 <3>"), "fs-OST<d4> at 0x<x4>, <x8> <<<d>>");
  EXPECT_EQ(template_of("no number"), "no number");
}

TEST(LogLine, ComesOutAsItWentIn) {
  const std::vector<std::string> texts{
      "",
      "<",
      "<<d>> <d4> <x8>",
      "007 0 00 18446744073709551616 123456789012345678901234567890",
      "3f2a9c1e-77aa-4b1c-9d2e-0123456789ab DEADBEEF01 0xFFFF 0xffffffffffffffffff",
      std::string("a\0b\x1b[2J\xff\xfe", 9),
      "-5 +6 1e9 1.50 e5 5e"};
  for (const std::string& text : texts) EXPECT_EQ(again(text), text);
  std::string many;
  for (int i = 0; i < 100; ++i) many += std::to_string(i) + " ";
  EXPECT_EQ(again(many), many) << "more numbers than are taken out";
  std::string brackets;
  for (std::size_t i = 0; i < LogAppender::kMostText / 2; ++i) brackets += "<1";
  EXPECT_EQ(again(brackets), brackets) << "the longest template is a word";
}

TEST(LogLine, AnyTextComesOutAsItWentIn) {
  expect_property("a line as it went in", [](const std::string& text) {
    RC_ASSERT(again(text) == text.substr(0, LogAppender::kMostText));
  });
}

TEST(LogLine, ALongLineIsCutAndSaysHowLongItWas) {
  EventTable table("fs1", std::string(kLogKind));
  LogAppender appender(table);
  const std::string text(10'000'000, 'x');
  ASSERT_TRUE(appender.append({.time = {}, .program = {}, .pid = 4, .severity = 9, .text = text}));
  std::string out;
  const LogLines lines(table);
  lines.text(0, out);
  EXPECT_EQ(out.size(), LogAppender::kMostText);
  EXPECT_EQ(lines.program(0), "");
  EXPECT_EQ(lines.severity(0), std::nullopt) << "there is no such severity";
  const auto length = table.attribute("length", AttributeForm::kInteger);
  ASSERT_TRUE(length);
  EXPECT_EQ(table.attributes()[*length].bits(0), 10'000'000U);
}

TEST(LogLine, ATemplateWithoutItsNumbersShowsItself) {
  EventTable table("fs1", std::string(kLogKind));
  table.append(
      {.time = {}, .duration = {}, .subject = kNoWord, .what = table.intern("a<d>b<q>c<d99>").value()});
  std::string out;
  LogLines(table).text(0, out);
  EXPECT_EQ(out, "a<d>b<q>c<d99>");
}

}  // namespace
}  // namespace laggard
