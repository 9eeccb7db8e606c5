#include "collect/record/sampler.h"

#include <gtest/gtest.h>

namespace laggard::collect {
namespace {
using Times = std::vector<WallTime>;

Batch two_counters() {
  return {"fs1", DeviceKind::kNet, {{"a", CounterForm::kCumulative}, {"b", CounterForm::kGauge}}};
}

TEST(Batch, RowsBecomeColumnsAndWhatWasNotSetIsMissing) {
  Batch batch = two_counters();
  batch.begin_row(from_unix_ns(1));
  const Slot x = batch.add("x");
  batch.cells(x)[0] = 10;
  batch.cells(x)[1] = 11;
  batch.set_present(x, 3);
  batch.begin_row(from_unix_ns(2));
  const Slot y = batch.add("y");
  batch.cells(y)[1] = 21;
  batch.set_present(y, 2);

  const SampleTable table = batch.take("boot");
  EXPECT_EQ(table.host(), "fs1");
  EXPECT_EQ(table.boot(), "boot");
  EXPECT_EQ(table.times(), (Times{from_unix_ns(1), from_unix_ns(2)}));
  ASSERT_EQ(table.devices(), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(table.integer(0, 0, 0), 10U);
  EXPECT_EQ(table.integer(1, 0, 0), 11U);
  EXPECT_EQ(table.integer(0, 0, 1), std::nullopt) << "x was not seen in the second row";
  EXPECT_EQ(table.integer(0, 1, 1), std::nullopt) << "counter a of y was not readable";
  EXPECT_EQ(table.integer(1, 1, 1), 21U);
  EXPECT_EQ(table.present_cells(), 3U);
}

TEST(Batch, DevicesThatNeverShowedAValueAreLeftOutAndSlotsEndWithTheBatch) {
  Batch batch = two_counters();
  batch.begin_row(from_unix_ns(1));
  const Slot ghost = batch.add("ghost");
  const Slot x = batch.add("x");
  batch.cells(x)[0] = 1;
  batch.set_present(x, 1);
  EXPECT_TRUE(batch.has(ghost));
  EXPECT_EQ(batch.take("").devices(), (std::vector<std::string>{"x"}));
  EXPECT_FALSE(batch.has(ghost));
  EXPECT_FALSE(batch.has(Slot{}));
  EXPECT_EQ(batch.take("").cells(), 0U);
}

TEST(Batch, RowsWithoutDevicesKeepTheirTime) {
  Batch batch = two_counters();
  batch.begin_row(from_unix_ns(1));
  batch.begin_row(from_unix_ns(2));
  const Slot x = batch.add("x");
  batch.set_present(x, 1);
  const SampleTable table = batch.take("");
  EXPECT_EQ(table.times().size(), 2U);
  EXPECT_FALSE(table.present(0, 0, 0));
  EXPECT_TRUE(table.present(0, 0, 1));
}

}  // namespace
}  // namespace laggard::collect
