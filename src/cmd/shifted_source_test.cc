#include "cmd/shifted_source.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "model/series_source.h"

namespace laggard::cmd {
namespace {

using std::chrono::seconds;

WallTime instant(std::int64_t second) { return from_unix_ns(second * 1'000'000'000); }

SampleTable table_of(const std::string& host, std::int64_t first, std::size_t samples) {
  std::vector<WallTime> times;
  for (std::size_t t = 0; t < samples; ++t) times.push_back(instant(first + static_cast<std::int64_t>(t)));
  SampleTable table(host, DeviceKind::kDisk,
                    {{"rd_ios", CounterForm::kCumulative}, {"wr_ios", CounterForm::kCumulative}},
                    {"sda", "sdb"}, times);
  table.set_boot("boot");
  for (std::size_t t = 0; t < samples; ++t) table.set(0, 0, t, 10 * static_cast<std::uint64_t>(first) + t);
  table.set_uniform(1, 1, 77);
  return table;
}

ClockSkew skew(const std::string& host, std::int64_t ahead, WallTime from = WallTime::min(),
               WallTime to = WallTime::max()) {
  ClockSkew skew;
  skew.host = host;
  skew.from = from;
  skew.to = to;
  skew.ahead = seconds(ahead);
  return skew;
}

std::vector<SampleTable> all_tables(SeriesSource& source) {
  std::vector<SampleTable> tables;
  const auto reader = source.read({}).value();
  for (auto table = reader->next().value(); table; table = reader->next().value()) {
    tables.push_back(std::move(*table));
  }
  return tables;
}

std::unique_ptr<MemorySource> source_of(const std::vector<SampleTable>& tables) {
  auto source = std::make_unique<MemorySource>();
  for (const SampleTable& table : tables) EXPECT_TRUE(source->append(table));
  return source;
}

TEST(ShiftedSource, MovesWhatTheHostStampedAndNothingElse) {
  ShiftedSource source(source_of({table_of("a", 100, 5), table_of("b", 100, 5)}), {skew("b", 30)});
  const auto tables = all_tables(source);
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_EQ(tables[0].host(), "b") << "now the earlier one";
  SampleTable expected = table_of("b", 100, 5);
  EXPECT_EQ(tables[0].times().front(), instant(70));
  EXPECT_EQ(tables[0].times().back(), instant(74));
  EXPECT_EQ(tables[0].boot(), "boot");
  EXPECT_EQ(tables[0].integer(1, 1, 2), std::optional<std::uint64_t>(77));
  EXPECT_EQ(tables[0].integer(0, 0, 3), expected.integer(0, 0, 3));
  EXPECT_FALSE(tables[0].present(0, 1, 0)) << "missing stays missing";
  EXPECT_EQ(tables[1], table_of("a", 100, 5));
}

TEST(ShiftedSource, AStretchIsMovedByItself) {
  ShiftedSource source(source_of({table_of("a", 100, 6)}), {skew("a", -10, WallTime::min(), instant(102)),
                                                            skew("a", 3, instant(104), WallTime::max())});
  const auto tables = all_tables(source);
  ASSERT_EQ(tables.size(), 1U);
  const std::vector<WallTime> expected{instant(110), instant(111), instant(102),
                                       instant(103), instant(101), instant(102)};
  EXPECT_EQ(tables[0].times(), expected);
}

/// Whatever is moved where, tables come by first time, and those of one host in the order of recording.
RC_GTEST_PROP(ShiftedSource, KeepsTheOrderOfATableReader, ()) {
  std::vector<SampleTable> tables;
  std::vector<ClockSkew> skews;
  for (const char* host : {"a", "b", "c", "d"}) {
    std::int64_t first = *rc::gen::inRange<std::int64_t>(1000, 1020);
    const auto count = *rc::gen::inRange<std::size_t>(0, 12);
    for (std::size_t i = 0; i < count; ++i) {
      const auto samples = *rc::gen::inRange<std::size_t>(1, 20);
      tables.push_back(table_of(host, first, samples));
      first += static_cast<std::int64_t>(samples);
    }
    if (*rc::gen::inRange<int>(0, 2) == 1)
      skews.push_back(skew(host, *rc::gen::inRange<std::int64_t>(-90, 90)));
  }
  ShiftedSource source(source_of(tables), skews);
  const auto moved = all_tables(source);
  RC_ASSERT(moved.size() == tables.size());
  for (std::size_t i = 1; i < moved.size(); ++i) {
    RC_ASSERT(moved[i - 1].times().front() <= moved[i].times().front());
  }
  for (const char* host : {"a", "b", "c", "d"}) {
    std::vector<std::uint64_t> before;
    std::vector<std::uint64_t> after;
    for (const SampleTable& table : tables) {
      if (table.host() == host) before.push_back(table.bits(0, 0, 0));
    }
    for (const SampleTable& table : moved) {
      if (table.host() == host) after.push_back(table.bits(0, 0, 0));
    }
    RC_ASSERT(before == after);
  }
}

}  // namespace
}  // namespace laggard::cmd
