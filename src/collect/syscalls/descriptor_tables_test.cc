#include "collect/syscalls/descriptor_tables.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace laggard::collect {
namespace {

TEST(DescriptorTables, AChildHasACopy) {
  DescriptorTables tables;
  tables.set(1, 3, {.text = "a"});
  tables.fork(1, 2, false);
  EXPECT_EQ(tables.text(2, 3), "a");
  tables.set(2, 3, {.text = "b"});
  tables.set(1, 4, {.text = "c"});
  EXPECT_EQ(tables.text(1, 3), "a");
  EXPECT_EQ(tables.text(2, 3), "b");
  EXPECT_EQ(tables.text(2, 4), "");
  tables.close(1, 3, 3, 10);
  EXPECT_EQ(tables.text(1, 3), "");
  EXPECT_EQ(tables.text(2, 3), "b");
}

TEST(DescriptorTables, WhatIsSharedIsSharedUntilAProgramIsExecuted) {
  DescriptorTables tables;
  tables.set(1, 3, {.text = "a"});
  tables.set(1, 4, {.text = "b", .closes_on_exec = true});
  tables.fork(1, 2, true);
  tables.fork(2, 3, false);
  tables.set(2, 5, {.text = "c"});
  EXPECT_EQ(tables.text(1, 5), "c");
  EXPECT_EQ(tables.text(3, 5), "") << "a child is not among those who share";
  tables.execute(2);
  EXPECT_EQ(tables.text(2, 4), "");
  EXPECT_EQ(tables.text(1, 4), "b");
  tables.close(2, 3, 3, 10);
  EXPECT_EQ(tables.text(1, 3), "a");
}

TEST(DescriptorTables, RangesAreClosedAndEndsForgotten) {
  DescriptorTables tables;
  for (int d = 0; d < 6; ++d) tables.set(1, d, {.text = "a", .since_ns = d == 4 ? 20U : 5U});
  tables.close(1, 3, UINT32_MAX, 10);
  EXPECT_EQ(tables.text(1, 2), "a");
  EXPECT_EQ(tables.text(1, 3), "");
  EXPECT_EQ(tables.text(1, 4), "a") << "opened while the call was under way";
  EXPECT_EQ(tables.text(1, 5), "");
  tables.set_close_on_exec(1, 0, 1);
  tables.execute(1);
  EXPECT_EQ(tables.text(1, 1), "");
  EXPECT_EQ(tables.text(1, 2), "a");
  tables.end(1);
  EXPECT_EQ(tables.processes(), 0U);
  EXPECT_EQ(tables.text(1, 2), "");
}

TEST(DescriptorTables, WhatNobodyKnowsIsNotKept) {
  DescriptorTables tables;
  tables.close(1, 0, 5, 10);
  tables.execute(1);
  tables.fork(1, 2, false);
  tables.end(1);
  tables.set(1, -1, {.text = "a"});
  tables.set(1, DescriptorTables::kMostDescriptors, {.text = "a"});
  EXPECT_EQ(tables.processes(), 0U);
  EXPECT_EQ(tables.text(1, -1), "");
}

}  // namespace
}  // namespace laggard::collect
