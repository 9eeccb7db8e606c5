#include "report/flame_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace laggard::report {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t count_of(std::string_view what, std::string_view markup) {
  std::size_t count = 0;
  for (std::size_t at = markup.find(what); at != std::string_view::npos; at = markup.find(what, at + 1))
    ++count;
  return count;
}

/// The element of a frame, of the first or the second graph; empty where it is not drawn.
std::string frame_of(std::string_view markup, std::string_view title, std::size_t graph = 0) {
  const std::size_t second = markup.find("</svg>");
  if (second == std::string_view::npos) return "";
  const std::string_view part = graph == 0 ? markup.substr(0, second) : markup.substr(second);
  const std::size_t from = part.find("<title>" + std::string(title) + ":");
  return from == std::string_view::npos ? "" : std::string(part.substr(from, part.find("</g>", from) - from));
}

FlamesPayload some() {
  return {"% CPU",
          {{"all", 0, 40, 40},
           {"dd", 1, 10, 0},
           {"[kernel]", 2, 8, 0},
           {"gluster", 1, 30, 40},
           {"[kernel]", 2, 30, 30},
           {"libc.so.6", 2, 0, 10}}};
}

TEST(FlameGraph, IsAsWideAsTheSubjectAndThenAsItsPeers) {
  const std::string markup = drawing(some());
  EXPECT_EQ(count_of("<svg", markup), 2U);
  EXPECT_THAT(frame_of(markup, "all"), HasSubstr("x=\"0.00\" y=\"38.0\" width=\"960.00\""))
      << "at the bottom";
  EXPECT_THAT(frame_of(markup, "dd"), HasSubstr("x=\"0.00\" y=\"19.0\" width=\"240.00\""));
  EXPECT_THAT(frame_of(markup, "dd;[kernel]"), HasSubstr("x=\"0.00\" y=\"0.0\" width=\"192.00\""));
  EXPECT_THAT(frame_of(markup, "gluster;[kernel]"), HasSubstr("x=\"240.00\" y=\"0.0\" width=\"720.00\""))
      << "it stands upon its program, past what dd has in no binary";
  EXPECT_EQ(frame_of(markup, "gluster;libc.so.6"), "") << "the subject has nothing of it";
  EXPECT_EQ(frame_of(markup, "dd", 1), "") << "and the peers nothing of this";
  EXPECT_THAT(frame_of(markup, "gluster;libc.so.6", 1), HasSubstr("x=\"720.00\" y=\"0.0\" width=\"240.00\""));
}

TEST(FlameGraph, ColoursAreThoseOfTheDifference) {
  const std::string markup = drawing(some());
  EXPECT_THAT(frame_of(markup, "dd"), HasSubstr("class=\"more\" fill-opacity=\"0.50\""));
  EXPECT_THAT(frame_of(markup, "dd;[kernel]"), HasSubstr("class=\"more\" fill-opacity=\"0.45\""))
      << "sqrt(8 / 10)";
  for (const std::size_t graph : {std::size_t{0}, std::size_t{1}}) {
    EXPECT_THAT(frame_of(markup, "all", graph), Not(HasSubstr("class"))) << "alike";
    EXPECT_THAT(frame_of(markup, "gluster", graph), HasSubstr("class=\"less\" fill-opacity=\"0.50\""));
  }
}

TEST(FlameGraph, NamesAreThereAsFarAsThereIsRoomAndWholeWherePointedAt) {
  FlamesPayload flames = some();
  flames.frames[2] = {std::string(200, 'x'), 2, 8, 0};
  flames.frames[3] = {"ok", 1, 30, 40};
  const std::string markup = drawing(flames);
  const std::string frame = frame_of(markup, "dd;" + std::string(200, 'x'));
  EXPECT_THAT(frame, HasSubstr(">" + std::string(26, 'x') + "…</text>")) << "27 letters in 192 - 8";
  flames.frames[1].own = flames.frames[2].own = 1;
  EXPECT_THAT(frame_of(drawing(flames), "dd"), HasSubstr(">dd</text>")) << "24 wide";
  flames.frames[1].own = flames.frames[2].own = 0.5;
  EXPECT_THAT(frame_of(drawing(flames), "dd"), Not(HasSubstr("<text")));
}

TEST(FlameGraph, HostileNamesAreText) {
  const std::string attack = "</title></svg><script>alert(\"1\")</script>&'\x1b";
  const std::string markup = drawing({attack, {{attack, 0, 2, 1}, {attack, 1, 2, 1}, {attack, 2, 1, 1}}});
  EXPECT_THAT(markup, Not(HasSubstr("<script>")));
  EXPECT_THAT(markup, Not(HasSubstr("alert(\"")));
  EXPECT_THAT(markup, Not(HasSubstr("\x1b")));
  EXPECT_EQ(count_of("</svg>", markup), 2U);
  EXPECT_EQ(count_of("</title>", markup), 6U);
}

TEST(FlameGraph, ThereIsNoneOfNothing) {
  EXPECT_EQ(drawing(FlamesPayload{}), "");
  EXPECT_EQ(drawing(FlamesPayload{"% CPU", {{"all", 0, 0, 0}}}), "");
  const std::string idle = drawing(FlamesPayload{"% CPU", {{"all", 0, 0, 3}, {"gluster", 1, 0, 3}}});
  EXPECT_EQ(count_of("<svg", idle), 1U) << "of the peers alone";
  EXPECT_THAT(idle, HasSubstr("class=\"less\""));
}

TEST(FlameGraph, OneFrameIsAGraph) {
  const std::string markup = drawing(FlamesPayload{"% CPU", {{"all", 0, 3, 3}}});
  EXPECT_EQ(count_of("<g>", markup), 2U);
  EXPECT_THAT(markup, Not(HasSubstr("class=\"more\"")));
  EXPECT_THAT(markup, HasSubstr("viewBox=\"0 0 960 19\""));
}

}  // namespace
}  // namespace laggard::report
