#include "detect/behaviour/behaviour_flames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "model/code_profile.h"

namespace laggard::detect {
namespace {

using testing::ElementsAre;
using testing::SizeIs;
using Frame = FlamesPayload::Frame;

/// A window of 60 s in which a processor is 1 % busy.
constexpr double kPercent = 0.6;

class BehaviourFlamesTest : public testing::Test {
 protected:
  /// \param own, peers  in percent of a processor
  void add(std::string_view word, double own, double peers) {
    functions_.push_back({words_.intern(word).value(), own * kPercent, peers * kPercent, 0});
  }
  [[nodiscard]] std::optional<Payload> payload(std::string_view kind = kSamplesKind) const {
    return behaviour_flames(kind, functions_, rest_, words_);
  }
  [[nodiscard]] std::vector<Frame> frames() const {
    const auto made = payload();
    return made ? std::get<FlamesPayload>(made->shape).frames : std::vector<Frame>{};
  }
  /// Name and depth.
  [[nodiscard]] std::vector<std::pair<std::string, std::size_t>> outline() const {
    std::vector<std::pair<std::string, std::size_t>> all;
    for (const Frame& frame : frames()) all.emplace_back(frame.name, frame.depth);
    return all;
  }

  Dictionary words_;
  std::vector<BehaviourFollower::Differing> functions_;
  std::vector<RestOfProgram> rest_;
};

TEST_F(BehaviourFlamesTest, FramesAreTheSumsOfTheirParts) {
  add("gluster;libc.so.6;memcpy", 2, 3);
  add("dd;[kernel];submit_bio", 4, 0);
  add("gluster;[kernel];tcp_recvmsg", 5, 8);
  add("dd;[kernel];copy_to_user", 1, 0);
  EXPECT_THAT(outline(),
              ElementsAre(std::pair("all", 0), std::pair("dd", 1), std::pair("[kernel]", 2),
                          std::pair("copy_to_user", 3), std::pair("submit_bio", 3), std::pair("gluster", 1),
                          std::pair("[kernel]", 2), std::pair("tcp_recvmsg", 3), std::pair("libc.so.6", 2),
                          std::pair("memcpy", 3)));
  const std::vector<Frame> all = frames();
  EXPECT_NEAR(all[0].own, 12, 1e-9);
  EXPECT_NEAR(all[0].peers, 11, 1e-9);
  EXPECT_NEAR(all[1].own, 5, 1e-9);
  EXPECT_NEAR(all[2].own, 5, 1e-9);
  EXPECT_EQ(all[1].peers, 0);
  EXPECT_NEAR(all[5].own, 7, 1e-9);
  EXPECT_NEAR(all[5].peers, 11, 1e-9);
  EXPECT_EQ(std::get<FlamesPayload>(payload()->shape).unit, "% CPU");
  EXPECT_EQ(payload()->title, "CPU time by program, binary and function");
  EXPECT_EQ(payload(kCallsKind)->title, "calls by program, binary and function");
}

TEST_F(BehaviourFlamesTest, TheSameNameInTwoPlacesIsTwoFrames) {
  add("a;x;f", 1, 1);
  add("b;x;f", 1, 1);
  add("b;y;f", 1, 1);
  EXPECT_THAT(outline(), ElementsAre(std::pair("all", 0), std::pair("a", 1), std::pair("x", 2),
                                     std::pair("f", 3), std::pair("b", 1), std::pair("x", 2),
                                     std::pair("f", 3), std::pair("y", 2), std::pair("f", 3)));
}

TEST_F(BehaviourFlamesTest, WhatIsSmallOnBothSidesStaysInWhatItIsPartOf) {
  add("gluster;[kernel];large", 99, 99);
  add("gluster;[kernel];small", 0.4, 0.4);
  add("gluster;[kernel];of_peers", 0.1, 20);
  add("sh;[kernel];small", 0.3, 0.2);
  EXPECT_THAT(outline(), ElementsAre(std::pair("all", 0), std::pair("gluster", 1), std::pair("[kernel]", 2),
                                     std::pair("large", 3), std::pair("of_peers", 3)));
  const std::vector<Frame> all = frames();
  EXPECT_NEAR(all[0].own, 99.8, 1e-9) << "nothing of the whole is lost";
  EXPECT_NEAR(all[2].own, 99.5, 1e-9);
  EXPECT_NEAR(all[2].peers, 119.4, 1e-9);
}

TEST_F(BehaviourFlamesTest, TheRestOfAProgramIsItsOwnAndOfNoBinary) {
  add("gluster;[kernel];large", 6, 6);
  rest_ = {{"cron", 3 * kPercent, 0}, {"gluster", 1 * kPercent, 2 * kPercent}};
  EXPECT_THAT(outline(), ElementsAre(std::pair("all", 0), std::pair("cron", 1), std::pair("gluster", 1),
                                     std::pair("[kernel]", 2), std::pair("large", 3)));
  const std::vector<Frame> all = frames();
  EXPECT_NEAR(all[0].own, 10, 1e-9);
  EXPECT_NEAR(all[2].own, 7, 1e-9);
  EXPECT_NEAR(all[2].peers, 8, 1e-9);
  EXPECT_NEAR(all[3].own, 6, 1e-9);
}

TEST_F(BehaviourFlamesTest, WhatHasNoNameIsUnknown) {
  add("gluster;;", 6, 6);
  EXPECT_THAT(outline(), ElementsAre(std::pair("all", 0), std::pair("gluster", 1), std::pair("[unknown]", 2),
                                     std::pair("[unknown]", 3)));
}

TEST_F(BehaviourFlamesTest, ThereIsNoneOfProgramsNorOfNothing) {
  EXPECT_EQ(payload(), std::nullopt);
  add("gluster;[kernel];f", 0, 0);
  EXPECT_EQ(payload(), std::nullopt) << "nobody does anything";
  functions_.clear();
  add("gluster", 6, 6);
  EXPECT_EQ(payload(), std::nullopt) << "a program is no function";
  functions_.clear();
  add("gluster;[kernel];f", 0, 3);
  EXPECT_THAT(frames(), SizeIs(4)) << "a server that does nothing differs, too";
}

TEST_F(BehaviourFlamesTest, AreTreesOfBoundedSizeWhateverWasSeen) {
  std::mt19937_64 random(3);
  std::exponential_distribution<double> value(1);
  const auto name = [&](std::size_t most) { return std::to_string(random() % most); };
  for (const std::size_t functions : {std::size_t{1}, std::size_t{30}, std::size_t{20'000}}) {
    functions_.clear();
    for (std::size_t f = 0; f < functions; ++f) {
      add("p" + name(40) + ";b" + name(5) + ";f" + name(1'000'000), value(random), value(random));
    }
    const std::vector<Frame> all = frames();
    EXPECT_LE(static_cast<double>(all.size()), 1 + 3 * 2 / kLeastShareOfFlames);
    for (std::size_t f = 0; f < all.size(); ++f) {
      EXPECT_TRUE(f == 0 ? all[f].depth == 0 : all[f].depth >= 1 && all[f].depth <= all[f - 1].depth + 1);
      Frame parts;
      for (std::size_t p = f + 1; p < all.size() && all[p].depth > all[f].depth; ++p) {
        if (all[p].depth != all[f].depth + 1) continue;
        parts.own += all[p].own;
        parts.peers += all[p].peers;
      }
      EXPECT_LE(parts.own, all[f].own * (1 + 1e-9));
      EXPECT_LE(parts.peers, all[f].peers * (1 + 1e-9));
    }
  }
}

}  // namespace
}  // namespace laggard::detect
