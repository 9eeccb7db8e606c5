#include "model/cell_series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "testing/property.h"

namespace laggard {
namespace {

using testing::ElementsAre;

TEST(CellRuns, JoinWhatTouches) {
  CellRuns runs;
  runs.add(10, 20);
  runs.add(30, 40);
  runs.add(50, 60);
  runs.add(20, 30);
  EXPECT_THAT(runs.runs(), ElementsAre(CellRuns::Run{10, 40}, CellRuns::Run{50, 60}));
  runs.drop_before(55);
  EXPECT_THAT(runs.runs(), ElementsAre(CellRuns::Run{55, 60}));
}

/// A map of cells and the same as a series, drawn.
void play(std::mt19937_64& random, CellSeries& series, std::map<std::int64_t, double>& cells) {
  std::int64_t behind = 0;
  for (int step = 0; step < 30; ++step) {
    const auto far = static_cast<std::int64_t>(random() % 10 == 0 ? 1000 : 0);
    const std::int64_t begin = behind + far + static_cast<std::int64_t>(random() % 40) - 20;
    const auto length = static_cast<std::int64_t>(random() % 20);
    behind = std::max(behind, begin + length);
    switch (random() % 3) {
      case 0:
        series.set_zeros(begin, begin + length);
        for (std::int64_t c = begin; c < begin + length; ++c) cells[c] = 0;
        break;
      case 1: {
        std::vector<double> values(static_cast<std::size_t>(length));
        for (double& x : values) x = static_cast<double>(random() % 9);
        series.set_all(begin, values);
        for (std::int64_t c = begin; c < begin + length; ++c)
          cells[c] = values[static_cast<std::size_t>(c - begin)];
        break;
      }
      default:
        series.set(begin, 7);
        cells[begin] = 7;
    }
  }
}

TEST(CellSeries, HoldsWhatAMapWould) {
  expect_property("whatever is set in whatever order", [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    CellSeries series;
    std::map<std::int64_t, double> cells;
    play(random, series, cells);
    const std::int64_t from =
        cells.empty() ? 0 : cells.begin()->first + static_cast<std::int64_t>(random() % 50);
    series.drop_before(from);
    const std::int64_t to = (cells.empty() ? 0 : cells.rbegin()->first) + 5;
    if (to <= from) return;
    std::vector<double> out(static_cast<std::size_t>(to - from) * 2, 0.0);
    series.copy_to_zeros({from, to}, out.data(), 2);
    for (std::int64_t c = from; c < to; ++c) {
      const double got = out[static_cast<std::size_t>(c - from) * 2];
      const bool known = cells.contains(c);
      RC_ASSERT((known ? got == cells[c] : std::isnan(got)));
      RC_ASSERT((known ? series.get(c) == got : std::isnan(series.get(c))));
    }
  });
}

TEST(CellSeries, ZerosTakeNoMemory) {
  CellSeries series;
  series.set_zeros(0, 1'000'000);
  series.set_zeros(1'000'000, 2'000'000);
  EXPECT_EQ(series.stored(), 0U);
  series.set(2'000'000, 1);
  EXPECT_EQ(series.stored(), 1U);
}

TEST(CellSeries, WhatWaitsTakesHardlyMoreThanItIs) {
  CellSeries series;
  series.set_all(0, std::vector<double>(480, 1.0));
  series.set(480, 2);
  EXPECT_LT(series.capacity(), 520U);
  series.drop_before(400);
  EXPECT_EQ(series.stored(), 81U);
  EXPECT_LT(series.capacity(), 200U) << "what was taken is given back";
  for (int cell = 481; cell < 1000; ++cell) {
    series.drop_before(cell - 50);
    series.set(cell, 3);
  }
  EXPECT_LT(series.capacity(), 200U);
  series.drop_before(1000);
  EXPECT_EQ(series.capacity(), 0U);
}

TEST(CellSeries, AClockThatIsYearsAheadTakesNoMemory) {
  CellSeries series;
  series.set(10, 1);
  series.set(3'000'000'000, 1);
  series.set(20, 1);
  EXPECT_LT(series.stored(), 20U);
}

}  // namespace
}  // namespace laggard
