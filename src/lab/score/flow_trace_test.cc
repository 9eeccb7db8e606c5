#include "lab/score/flow_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace laggard::lab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal(const std::string& text) {
  const auto trace = parse_flow_trace(text, "t");
  return trace ? "read" : trace.error().message();
}

TEST(FlowTrace, FlowsOnTheSameWayAreOne) {
  const auto trace = parse_flow_trace(
      "Failing_link 50 22 0.01\n"
      "FP 67 50 22\n"
      "FID  10 11 67 22 16500 0.0\nFPT 67 50 22\nSS  980.79 11 1 0\n\n"
      "FID 12 11 68 22 9000 0.0\nFPT 68 22\nFPT 22\nSS 1 5 0 0\n"
      "FID 10 11 67 22 100 0.0\nFPT 67 50 22\nSS 3 100 2 0\nSS 4 200 0 0",
      "t");
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->paths.size(), 2U);
  std::vector<std::string> first;
  for (const std::size_t link : trace->paths[0]) first.push_back(trace->links[link]);
  EXPECT_THAT(first, ElementsAre("10>67", "67>50", "50>22", "22>11"));
  EXPECT_THAT(trace->sent, ElementsAre(311, 5));
  EXPECT_THAT(trace->lost, ElementsAre(3, 0));
  ASSERT_EQ(trace->failing.size(), 1U);
  EXPECT_EQ(trace->links[*trace->failing.begin()], "50>22");
}

TEST(FlowTrace, WrongLinesAreRefusedByNumber) {
  EXPECT_EQ(refusal(""), "read");
  EXPECT_THAT(refusal("FPT 1 2\n"), HasSubstr("t:1: is no line of a trace of flows, or not at its place"));
  EXPECT_THAT(refusal("FID 1 2\nSS 1 2 3"), HasSubstr("t:2: is no line"));
  EXPECT_THAT(refusal("FID 1 2\nFPT 3\nSS 1 2 3"), HasSubstr("t:3: does not say how many packets"));
  EXPECT_THAT(refusal("FID 1 2\nFPT 3\nSS 1 x 3"), HasSubstr("t:3: does not say how many packets"));
  EXPECT_THAT(refusal("hello"), HasSubstr("t:1"));
}

}  // namespace
}  // namespace laggard::lab
