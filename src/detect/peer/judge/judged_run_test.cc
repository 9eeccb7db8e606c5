#include "detect/peer/judge/judged_run.h"

#include <gtest/gtest.h>

namespace laggard::detect {
namespace {

TEST(GapClock, FindsTheCellsOfPositions) {
  GapClock clock(10);
  EXPECT_EQ(clock.cell_at(-5), -5) << "nothing was recorded yet";
  for (const auto& [begin, end] : {std::pair{100, 200}, std::pair{205, 300}, std::pair{1000, 1050}}) {
    CellRuns::Run run;
    run.begin = begin;
    run.end = end;
    clock.note(run);
  }
  for (std::int64_t cell = 50; cell < 300; ++cell) EXPECT_EQ(clock.cell_at(clock.position(cell)), cell);
  for (std::int64_t cell = 1000; cell < 1050; ++cell) EXPECT_EQ(clock.cell_at(clock.position(cell)), cell);
  EXPECT_EQ(clock.cell_at(clock.position(700)), 1000) << "in the gap the clock stands still";
}

}  // namespace
}  // namespace laggard::detect
