#include "model/sample_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace laggard {
namespace {

using ::testing::Each;

SampleTable two_by_three() {
  return {"fs1",
          DeviceKind::kDisk,
          {{"rd_ios", CounterForm::kCumulative}, {"wr_ios", CounterForm::kCumulative}},
          {"sda"},
          {from_unix_ns(1), from_unix_ns(2), from_unix_ns(3)}};
}

TEST(SampleTable, AUniformSeriesIsLikeAnyOther) {
  SampleTable uniform = two_by_three();
  uniform.set_uniform(0, 0, 7);
  SampleTable written = two_by_three();
  for (std::size_t t = 0; t < 3; ++t) written.set(0, 0, t, 7);
  EXPECT_EQ(uniform.uniform(0, 0), 7U);
  EXPECT_FALSE(written.uniform(0, 0));
  EXPECT_EQ(uniform.integer(0, 0, 2), 7U);
  EXPECT_FALSE(uniform.integer(1, 0, 2)) << "missing is not zero";
  EXPECT_EQ(uniform.present_cells(), 3U);
  EXPECT_EQ(uniform, written);
  const SampleTable copy = uniform;
  EXPECT_EQ(copy.view(0, 0).value(1), 7U);
}

TEST(SampleTable, WhoWritesToAUniformSeriesEndsIt) {
  SampleTable table = two_by_three();
  table.set_uniform(0, 0, 7);
  table.set(0, 0, 1, 9);
  EXPECT_FALSE(table.uniform(0, 0));
  EXPECT_EQ(table.integer(0, 0, 0), 7U);
  EXPECT_EQ(table.integer(0, 0, 1), 9U);
}

TEST(SampleTable, BeginsMissingWhateverItsMemoryHeldBefore) {
  for (int again = 0; again < 4; ++again) {
    SampleTable table = two_by_three();
    EXPECT_EQ(table.present_cells(), 0U);
    for (std::size_t c = 0; c < table.counters().size(); ++c) {
      for (std::size_t d = 0; d < table.devices().size(); ++d) {
        EXPECT_THAT(table.series(c, d), Each(0U));
        const SampleTable::Cells cells = table.overwrite(c, d);
        std::ranges::fill(cells.series, 0xabababababababab);
        std::ranges::fill(cells.presence, std::uint8_t{1});
      }
    }
    EXPECT_EQ(table.present_cells(), table.cells());
  }
}

TEST(SampleTable, WhoOverwritesASeriesMakesItHisOwn) {
  SampleTable table = two_by_three();
  table.set_uniform(0, 0, 7);
  const SampleTable::Cells cells = table.overwrite(0, 0);
  for (std::size_t t = 0; t < 3; ++t) {
    cells.series[t] = 10 + t;
    cells.presence[t] = t == 1 ? 0 : 1;
  }
  EXPECT_FALSE(table.uniform(0, 0));
  EXPECT_EQ(table.integer(0, 0, 2), 12U);
  EXPECT_FALSE(table.integer(0, 0, 1));
  EXPECT_EQ(table.present_cells(), 2U);
}

}  // namespace
}  // namespace laggard
