#include "detect/peer/skew/moves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/missing.h"
#include "testing/samples.h"

namespace laggard::detect {
namespace {

using ::testing::ElementsAre;

std::vector<int> moves_of(const std::vector<double>& series, double least = 0.25) {
  Moves moves(1, least);
  std::vector<int> out;
  for (const double x : series) {
    std::int8_t move = 0;
    moves.take(std::span(&x, 1), std::span(&move, 1));
    out.push_back(move);
  }
  return out;
}

TEST(Moves, AreUpDownOrNotToSpeakOf) {
  EXPECT_THAT(moves_of({10, 20, 12, 13, 12, 12}), ElementsAre(0, 1, -1, 0, 0, 0));
  EXPECT_THAT(moves_of({10, 20, 12, 13, 12, 12}, 0), ElementsAre(0, 1, -1, 1, -1, 0));
}

TEST(Moves, AConstantNeverMoves) { EXPECT_THAT(moves_of({7, 7, 7, 7}), ElementsAre(0, 0, 0, 0)); }

TEST(Moves, WhatIsMissingIsNoMoveNorWhatFollowsIt) {
  EXPECT_THAT(moves_of({1, kMissing, 5, 9, kMissing, kMissing, 1}), ElementsAre(0, 0, 0, 1, 0, 0, 0));
}

TEST(Moves, AreNotTakenAcrossGaps) {
  Moves moves(1, 0.25);
  std::int8_t move = 0;
  for (const double x : {1.0, 5.0}) moves.take(std::span(&x, 1), std::span(&move, 1));
  EXPECT_EQ(move, 1);
  moves.forget_last();
  const double after = 1;
  moves.take(std::span(&after, 1), std::span(&move, 1));
  EXPECT_EQ(move, 0);
}

}  // namespace
}  // namespace laggard::detect
