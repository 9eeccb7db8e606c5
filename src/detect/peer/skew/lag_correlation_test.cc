#include "detect/peer/skew/lag_correlation.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "testing/restored.h"

namespace laggard::detect {
namespace {

/// Moves by cell, as they were pushed.
using Pushed = std::map<std::int64_t, std::vector<std::int8_t>>;

int move_at(const Pushed& pushed, std::int64_t cell, std::size_t series) {
  const auto row = pushed.find(cell);
  return row == pushed.end() ? 0 : row->second[series];
}

/// The same of all other hosts.
int others_at(const Pushed& pushed, const LagSpec& spec, std::int64_t cell, std::size_t series) {
  const std::size_t channel = series / spec.hosts;
  int sum = 0;
  for (std::size_t h = 0; h < spec.hosts; ++h) sum += move_at(pushed, cell, channel * spec.hosts + h);
  return sum - move_at(pushed, cell, series);
}

/// The definition, cell by cell.
struct Twin {
  std::int64_t product = 0;
  std::int64_t own = 0;
  std::int64_t others = 0;
};
Twin twin(const Pushed& pushed, const LagSpec& spec, std::size_t host, std::int64_t begin, std::int64_t end,
          std::int64_t lag) {
  Twin out;
  for (std::int64_t cell = begin; cell < end; ++cell) {
    for (std::size_t channel = 0; channel < spec.channels; ++channel) {
      const std::size_t series = channel * spec.hosts + host;
      const int mine = move_at(pushed, cell, series);
      const int now = others_at(pushed, spec, cell, series);
      out.product += mine * others_at(pushed, spec, cell - lag, series);
      out.own += mine * mine;
      out.others += now * now;
    }
  }
  return out;
}

RC_GTEST_PROP(LagCorrelation, IsItsDefinition, ()) {
  LagSpec spec;
  spec.hosts = *rc::gen::inRange<std::size_t>(2, 5);
  spec.channels = *rc::gen::inRange<std::size_t>(1, 4);
  spec.reach = *rc::gen::inRange<std::int64_t>(1, 9);
  spec.most_blocks = *rc::gen::inRange<std::size_t>(2, 12);
  LagCorrelation correlation(spec);
  Pushed pushed;
  const auto rows = *rc::gen::inRange<std::size_t>(1, 150);
  std::int64_t cell = *rc::gen::inRange<std::int64_t>(-1000, 1000);
  const auto move = rc::gen::cast<std::int8_t>(rc::gen::inRange<int>(-1, 2));
  for (std::size_t i = 0; i < rows; ++i) {
    // Now and then something is lost, sometimes more than the whole buffer.
    const int luck = *rc::gen::inRange<int>(0, 60);
    cell += 1 + (luck == 0 ? 500 : luck < 4 ? luck * 7 : 0);
    pushed[cell] = *rc::gen::container<std::vector<std::int8_t>>(spec.hosts * spec.channels, move);
    correlation.push(cell, pushed[cell], nullptr);
    if (luck != 30) continue;
    LagCorrelation fresh(spec);
    expect_restores(correlation, fresh);
    correlation = std::move(fresh);
  }
  correlation.finish(nullptr);
  for (std::size_t host = 0; host < spec.hosts; ++host) {
    const LagBlocks blocks = correlation.blocks(host);
    RC_ASSERT(blocks.first_cell == pushed.begin()->first);
    RC_ASSERT(blocks.last_cell == cell);
    RC_ASSERT(blocks.count <= spec.most_blocks);
    RC_ASSERT(static_cast<std::int64_t>(blocks.count) * blocks.block_cells > cell - blocks.first_cell);
    for (std::size_t b = 0; b < blocks.count; ++b) {
      const std::int64_t begin = blocks.first_cell + static_cast<std::int64_t>(b) * blocks.block_cells;
      for (std::int64_t lag = -spec.reach; lag <= spec.reach; ++lag) {
        const Twin expected = twin(pushed, spec, host, begin, begin + blocks.block_cells, lag);
        RC_ASSERT(blocks.product(b, lag) == expected.product);
        RC_ASSERT(blocks.own[b] == expected.own);
        RC_ASSERT(blocks.others[b] == expected.others);
      }
    }
  }
}

TEST(LagCorrelation, KeepsAtLeastHalfOfItsBlocksHoweverLong) {
  LagCorrelation correlation({.hosts = 2, .channels = 1, .reach = 3, .most_blocks = 16});
  const std::vector<std::int8_t> moves{1, -1};
  for (std::int64_t cell = 0; cell < 100'000; ++cell) correlation.push(cell, moves, nullptr);
  correlation.finish(nullptr);
  const LagBlocks blocks = correlation.blocks(0);
  EXPECT_GE(blocks.count, 8U);
  EXPECT_LE(blocks.count, 16U);
  std::int64_t own = 0;
  for (const std::int64_t block : blocks.own) own += block;
  EXPECT_EQ(own, 100'000);
}

TEST(LagCorrelation, ThreadsChangeNothing) {
  const LagSpec spec{.hosts = 7, .channels = 2, .reach = 20, .most_blocks = 32};
  LagCorrelation alone(spec);
  LagCorrelation together(spec);
  Workers workers(3);
  std::vector<std::int8_t> moves(14);
  std::uint32_t state = 1;
  for (std::int64_t cell = 0; cell < 2000; ++cell) {
    for (std::int8_t& move : moves) {
      state = state * 1664525 + 1013904223;
      move = static_cast<std::int8_t>(static_cast<int>((state >> 16U) % 3U) - 1);
    }
    alone.push(cell, moves, nullptr);
    together.push(cell, moves, &workers);
  }
  alone.finish(nullptr);
  together.finish(&workers);
  for (std::size_t host = 0; host < spec.hosts; ++host) {
    const auto a = alone.blocks(host).products;
    const auto b = together.blocks(host).products;
    EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
  }
}

TEST(LagCorrelation, OfNothingThereAreNoBlocks) {
  LagCorrelation correlation({.hosts = 3, .channels = 1, .reach = 5, .most_blocks = 16});
  correlation.finish(nullptr);
  EXPECT_EQ(correlation.blocks(0).count, 0U);
}

}  // namespace
}  // namespace laggard::detect
