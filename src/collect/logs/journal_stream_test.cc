#include "collect/logs/journal_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace laggard::collect {
namespace {

std::string field(const std::string& name, const std::string& value) {
  std::string bytes = name + "\n";
  for (unsigned i = 0; i < 8; ++i) bytes += static_cast<char>((value.size() >> (8 * i)) & 0xffU);
  return bytes + value + "\n";
}

/// The messages of its entries, handed over in pieces of that many bytes.
std::vector<std::string> messages(std::string_view text, std::size_t piece, JournalStream& stream) {
  std::vector<std::string> all;
  for (; !text.empty() && !stream.is_damaged(); text.remove_prefix(std::min(piece, text.size()))) {
    std::string_view rest = text.substr(0, piece);
    while (!rest.empty() && !stream.is_damaged()) {
      rest.remove_prefix(stream.take(rest));
      if (!stream.has_entry()) continue;
      all.push_back(stream.entry().message);
      stream.next();
    }
  }
  return all;
}

TEST(JournalStream, EntriesInPiecesOfAnyLength) {
  const std::string text = "\n\n__CURSOR=a\nMESSAGE=one\r\nPRIORITY=3\n\n__CURSOR=b\n" +
                           field("MESSAGE", "two\nlines\n\nand a blank") + "_PID=7\n\n" +
                           field("MESSAGE", "") + "\n__CURSOR=d\nMESSAGE=no end";
  for (const std::size_t piece : {1U, 3U, 4096U}) {
    JournalStream stream;
    EXPECT_EQ(messages(text, piece, stream),
              (std::vector<std::string>{"one", "two\nlines\n\nand a blank", ""}));
    EXPECT_FALSE(stream.has_entry());
    EXPECT_FALSE(stream.is_damaged());
  }
}

TEST(JournalStream, OfALongValueTheBeginningIsKept) {
  const std::string text = field("MESSAGE", std::string(10'000'000, '\0')) +
                           "MORE=" + std::string(1'000'000, 'x') + "\n\n" + "MESSAGE=next\n\n";
  JournalStream stream;
  const auto all = messages(text, 1 << 16, stream);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0], std::string(JournalEntry::kMostValue, '\0'));
  EXPECT_EQ(all[1], "next");
}

TEST(JournalStream, AWrongLengthIsDamage) {
  JournalStream stream;
  EXPECT_TRUE(
      messages("A=1\nMESSAGE\n" + std::string("\2\0\0\0\0\0\0\0", 8) + "abcd\n\nB=2\n\n", 5, stream).empty());
  EXPECT_TRUE(stream.is_damaged());
}

}  // namespace
}  // namespace laggard::collect
