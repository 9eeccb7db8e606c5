#include "detect/behaviour/code_measure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace laggard::detect {
namespace {

using testing::HasSubstr;

TEST(CodeMeasure, TheFirstRuleThatMatchesCounts) {
  const auto measure = read_weights(CodeDistance::kManhattan,
                                    "# by hand\n"
                                    "tcp_v4_rcv 3   # a function, wherever it runs\n"
                                    "tcp_* 2\n"
                                    "glusterfsd;*;* 0.5\n"
                                    "*;[kernel];s* 5\n"
                                    "  dd 0\n\n"
                                    "spread",
                                    "w");
  ASSERT_TRUE(measure) << measure.error().message();
  EXPECT_TRUE(measure->by_spread);
  EXPECT_EQ(measure->weight_of("glusterfsd;[kernel];tcp_v4_rcv"), 3);
  EXPECT_EQ(measure->weight_of("glusterfsd;[kernel];tcp_sendmsg"), 2);
  EXPECT_EQ(measure->weight_of("glusterfsd;libc.so.6;memcpy"), 0.5);
  EXPECT_EQ(measure->weight_of("dd;[kernel];submit_bio"), 5);
  EXPECT_EQ(measure->weight_of("dd;k;sync"), 1) << "brackets are no set";
  EXPECT_EQ(measure->weight_of("dd;[kernel];write"), 1) << "a program's name is no function's";
  EXPECT_EQ(measure->weight_of("dd"), 0) << "where programs are compared";
  EXPECT_EQ(measure->weight_of(""), 1);
}

TEST(CodeMeasure, IsWhatItsNameSays) {
  for (const char* name : {"manhattan", "kl", "relative by spread", "scaled by tcp_*=2,*;[kernel];*=0.25",
                           "manhattan by spread,a=0"}) {
    const auto measure = code_measure(name);
    ASSERT_TRUE(measure) << name;
    EXPECT_EQ(measure->name(), name);
  }
  for (const char* name : {"", "euclid", "manhattan by ", "manhattan by a", "manhattan by a=-1",
                           "manhattan by =1", "manhattan by a=nan"}) {
    EXPECT_FALSE(code_measure(name)) << name;
  }
}

TEST(CodeMeasure, SaysWhichLineIsWrong) {
  for (const char* line : {"tcp_*", "tcp_* x", "tcp_* -1", "a,b 1", "a=b 1", "a 1 2", "a 1e9"}) {
    const auto measure = read_weights(CodeDistance::kManhattan, "f 1\n" + std::string(line), "weights");
    ASSERT_FALSE(measure) << line;
    EXPECT_THAT(measure.error().message(), HasSubstr("weights:2: is no PATTERN WEIGHT")) << line;
  }
}

}  // namespace
}  // namespace laggard::detect
