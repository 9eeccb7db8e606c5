#include "collect/logs/journal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace laggard::collect {
namespace {

/// Hands out a text in pieces of that many bytes.
LineReader reader_of(std::string_view text, std::size_t piece, LineReader::Overlong overlong) {
  return LineReader(
      [text, piece](std::span<char> buffer) mutable -> Result<std::size_t> {
        const std::size_t n = text.copy(buffer.data(), std::min(piece, buffer.size()));
        text.remove_prefix(n);
        return n;
      },
      64, overlong);
}

std::string binary(const std::string& name, const std::string& value) {
  std::string bytes = name + "\n";
  for (unsigned i = 0; i < 8; ++i) bytes += static_cast<char>((value.size() >> (8 * i)) & 0xffU);
  return bytes + value + "\n";
}

TEST(Journal, EntriesOfTheExportFormat) {
  const std::string text =
      "__CURSOR=s=1\n__REALTIME_TIMESTAMP=1700000000123456\n_HOSTNAME=fs1\nPRIORITY=3\n" +
      binary("MESSAGE", "two\nlines\n\nand a blank") +
      "SYSLOG_IDENTIFIER=kernel\n_PID=7\n\n"
      "__REALTIME_TIMESTAMP=1700000001000000\n_COMM=smartd\nMESSAGE=a=b";
  for (const std::size_t piece : {1U, 7U, 4096U}) {
    LineReader lines = reader_of(text, piece, LineReader::Overlong::kCut);
    std::string_view first;
    ASSERT_TRUE(lines.next(first));
    EXPECT_TRUE(begins_journal_export(first));
    JournalEntry entry;
    ASSERT_TRUE(read_journal_entry(first, lines, entry));
    const auto line = entry.line();
    ASSERT_TRUE(line);
    EXPECT_EQ(to_iso8601(line->time), "2023-11-14T22:13:20.123456Z");
    EXPECT_EQ(line->host, "fs1");
    EXPECT_EQ(line->program, "kernel");
    EXPECT_EQ(line->pid, 7);
    EXPECT_EQ(line->severity, 3);
    EXPECT_EQ(line->text, "two\nlines\n\nand a blank");
    ASSERT_TRUE(lines.next(first));
    ASSERT_TRUE(read_journal_entry(first, lines, entry));
    EXPECT_EQ(entry.line()->program, "smartd");
    EXPECT_EQ(entry.line()->text, "a=b");
    EXPECT_FALSE(lines.next(first));
  }
}

TEST(Journal, AWrongLengthEndsTheReading) {
  for (const std::string& text :
       {std::string("MESSAGE\n\xff\xff\xff\xff\xff\xff\xff\x7f"
                    "abc"),
        std::string("MESSAGE\n\1\0\0\0\0\0\0\0abc\n", 20), std::string("MESSAGE\n\1\0", 10)}) {
    LineReader lines = reader_of(text, 5, LineReader::Overlong::kCut);
    std::string_view first;
    JournalEntry entry;
    ASSERT_TRUE(lines.next(first));
    EXPECT_FALSE(read_journal_entry(first, lines, entry));
  }
}

TEST(Journal, EntriesAsJson) {
  const auto entry = parse_journal_json(
      R"({"__REALTIME_TIMESTAMP":"1700000000000000","_HOSTNAME":"fs1","PRIORITY":"4","MESSAGE":[97,0,255],)"
      R"("SYSLOG_IDENTIFIER":["first","second"],"_PID":"x","deep":[[[[1]]]]})");
  ASSERT_TRUE(entry);
  const auto line = entry->line();
  ASSERT_TRUE(line);
  EXPECT_EQ(line->text, std::string("a\0\xff", 3));
  EXPECT_EQ(line->program, "first");
  EXPECT_EQ(line->pid, std::nullopt);
  EXPECT_EQ(line->severity, 4);
  EXPECT_FALSE(parse_journal_json("{"));
  EXPECT_FALSE(parse_journal_json(R"({"MESSAGE":"no time"})"));
  EXPECT_FALSE(parse_journal_json(std::string(100'000, '[')));
  EXPECT_FALSE(parse_journal_json(R"({"__REALTIME_TIMESTAMP":"-5","MESSAGE":"a"})")->line());
  EXPECT_FALSE(parse_journal_json(R"({"__REALTIME_TIMESTAMP":"5","MESSAGE":null})")->line());
}

TEST(LineReader, CutsWhatIsTooLongAndGoesOnBehindIt) {
  const std::string text = "a\n" + std::string(10'000'000, 'x') + "\nb\n" + std::string(5'000'000, 'y');
  LineReader lines = reader_of(text, 65536, LineReader::Overlong::kCut);
  std::string_view line;
  std::vector<std::size_t> lengths;
  while (lines.next(line)) lengths.push_back(line.size());
  EXPECT_TRUE(lines.status());
  ASSERT_EQ(lengths.size(), 4U);
  EXPECT_EQ(lengths[0], 1U);
  EXPECT_GE(lengths[1], LineReader::kLongestLine);
  EXPECT_LE(lengths[1], 2 * LineReader::kLongestLine);
  EXPECT_EQ(lengths[2], 1U);
  EXPECT_EQ(lengths[3], lengths[1]);
  LineReader strict = reader_of(text, 65536, LineReader::Overlong::kError);
  while (strict.next(line)) {
  }
  EXPECT_FALSE(strict.status());
}

}  // namespace
}  // namespace laggard::collect
