#include "model/code_profile.h"

#include <gtest/gtest.h>

#include "model/dictionary.h"

namespace laggard {
namespace {

TEST(FunctionName, GoesIntoAWordAndComesBack) {
  for (const FunctionName& name :
       {FunctionName{"glusterfsd", "libc.so.6", "__memmove_avx"},
        FunctionName{kNobody, "[kernel]", "net_rx_action"}, FunctionName{"a b", "", ""}}) {
    const std::string word = to_word(name);
    EXPECT_EQ(function_name(word), name) << word;
  }
  EXPECT_EQ(to_word({"dd", "[kernel]", "submit_bio"}), "dd;[kernel];submit_bio");
}

TEST(FunctionName, HostileNamesStayInTheirField) {
  const std::string word = to_word({"a;b", "c\nd", "e\x1b[31m"});
  EXPECT_EQ(function_name(word), (FunctionName{"a:b", "c d", "e [31m"}));
  const std::string long_name(10'000, 'x');
  Dictionary words;
  EXPECT_TRUE(words.intern(to_word({long_name, long_name, long_name})));
}

TEST(FunctionName, OtherWordsAreNone) {
  for (const char* word : {"", "main", "main;f", "a;b;c;d"}) EXPECT_FALSE(function_name(word)) << word;
}

}  // namespace
}  // namespace laggard
