#include "collect/import/sample_collector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "testing/import_fixture.h"

namespace laggard::collect {
namespace {

const TableCounter kIos{"ios", CounterForm::kCumulative};

WallTime at(std::int64_t second) { return from_unix_ns(second * 1'000'000'000); }

TEST(SampleCollector, TablesAreSortedByTimeAndKnowTheirBoot) {
  MemorySink sink;
  SampleCollector collector(sink);
  const StreamId stream = collector.stream("h", DeviceKind::kDisk, "boot-1");
  const ColumnId column = collector.column(stream, "d", kIos);
  for (const std::int64_t t : {3, 1, 2}) collector.add(stream, column, at(t), static_cast<std::uint64_t>(t));
  ASSERT_TRUE(collector.flush_all());
  EXPECT_EQ(sink.tables, 1U);
  EXPECT_THAT(sink.last_table.times(), ::testing::ElementsAre(at(1), at(2), at(3)));
  EXPECT_EQ(sink.last_table.boot(), "boot-1");
  EXPECT_EQ(sink.last_table.integer(0, 0, 2), 3U);
}

TEST(SampleCollector, TheNewestTimeStaysUntilItIsComplete) {
  MemorySink sink;
  SampleCollector collector(sink, {.cells = 4, .rows_per_table = 10, .table_cells = 100});
  const StreamId stream = collector.stream("h", DeviceKind::kDisk);
  const ColumnId a = collector.column(stream, "a", kIos);
  const ColumnId b = collector.column(stream, "b", kIos);
  collector.add(stream, a, at(1), 1);
  collector.add(stream, b, at(1), 2);
  collector.add(stream, a, at(2), 3);
  EXPECT_FALSE(collector.full());
  collector.add(stream, a, at(3), 4);
  EXPECT_TRUE(collector.full());
  ASSERT_TRUE(collector.flush_older());
  EXPECT_FALSE(collector.full());
  EXPECT_EQ(sink.values(), 3U);
  collector.add(stream, b, at(3), 5);
  ASSERT_TRUE(collector.flush_all());
  EXPECT_EQ(sink.last_table.devices().size(), 2U);
  EXPECT_EQ(sink.values(), 5U);
}

TEST(SampleCollector, ASingleSampleLargerThanTheMemoryLeavesToo) {
  MemorySink sink;
  SampleCollector collector(sink, {.cells = 8, .rows_per_table = 10, .table_cells = 100});
  const StreamId stream = collector.stream("h", DeviceKind::kDisk);
  for (int d = 0; d < 20; ++d) {
    collector.add(stream, collector.column(stream, std::to_string(d), kIos), at(1), 1);
    if (collector.full()) {
      ASSERT_TRUE(collector.flush_older());
    }
    EXPECT_FALSE(collector.full());
  }
  ASSERT_TRUE(collector.flush_all());
  EXPECT_EQ(sink.values(), 20U);
}

/// Whatever the order and the limits, the sink ends up with the last value given for each time and column.
RC_GTEST_PROP(SampleCollector, LosesAndInventsNothing, ()) {
  MemorySink sink;
  SampleCollector collector(sink, {.cells = *rc::gen::inRange<std::size_t>(2, 40),
                                   .rows_per_table = *rc::gen::inRange<std::size_t>(1, 10),
                                   .table_cells = *rc::gen::inRange<std::size_t>(1, 30)});
  std::map<std::string, std::map<std::int64_t, double>> expected;
  const auto count = *rc::gen::inRange(1, 200);
  for (int i = 0; i < count; ++i) {
    const std::string host = std::to_string(*rc::gen::inRange(0, 2));
    const std::string device = std::to_string(*rc::gen::inRange(0, 4));
    const auto t = *rc::gen::inRange<std::int64_t>(0, 20);
    const StreamId stream = collector.stream(host, DeviceKind::kDisk);
    collector.add(stream, collector.column(stream, device, kIos), at(t), static_cast<std::uint64_t>(i));
    std::string name = host;
    name.append("/").append(device).append(" ios");
    expected[name][to_unix_ns(at(t))] = i;
    if (collector.full()) RC_ASSERT(collector.flush_older().has_value());
    RC_ASSERT(!collector.full());
  }
  RC_ASSERT(collector.flush_all().has_value());
  RC_ASSERT(sink.series == expected);
}

}  // namespace
}  // namespace laggard::collect
