#include "derive/device_meter.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <random>
#include <span>

#include "derive/formula.h"
#include "testing/property.h"

namespace laggard::derive {
namespace {

constexpr Slot kReads = *slot_of(DeviceKind::kDisk, "rd_ios");
constexpr Slot kWrites = *slot_of(DeviceKind::kDisk, "wr_ios");
constexpr Slot kInFlight = *slot_of(DeviceKind::kDisk, "in_flight");
constexpr Slot kLatency = *slot_of(DeviceKind::kDisk, "latency");
constexpr std::int64_t kSecondInNs = 1'000'000'000;

SampleTable disk_table(const std::vector<double>& seconds, const std::vector<std::uint64_t>& reads,
                       const std::vector<std::uint64_t>& read_ms) {
  std::vector<WallTime> times;
  for (const double s : seconds) times.push_back(from_unix_ns(std::llround(s * 1e9)));
  SampleTable table("fs1", DeviceKind::kDisk,
                    {{"rd_ios", CounterForm::kCumulative},
                     {"wr_ios", CounterForm::kCumulative},
                     {"rd_ms", CounterForm::kCumulative},
                     {"wr_ms", CounterForm::kCumulative},
                     {"in_flight", CounterForm::kGauge}},
                    {"sda"}, times);
  for (std::size_t t = 0; t < times.size(); ++t) {
    table.set(0, 0, t, reads[t]);
    table.set(1, 0, t, 0);
    table.set(2, 0, t, read_ms[t]);
    table.set(3, 0, t, 0);
    table.set(4, 0, t, 1);
  }
  return table;
}

std::vector<FinishedCell> meter(const SampleTable& table, Duration step, Duration interval) {
  DeviceMeter meter(Grid{step}, interval);
  std::vector<FinishedCell> cells;
  meter.add(table, 0, cells);
  meter.finish(cells);
  return cells;
}

double await(const FinishedCell& cell) { return Formula(*find_metric("await"))(cell.values, 1); }

TEST(DeviceMeter, AlignedSamplesGiveDifferences) {
  const auto cells = meter(disk_table({10, 11, 12}, {100, 104, 104}, {0, 40, 40}), std::chrono::seconds(1),
                           std::chrono::seconds(1));
  ASSERT_EQ(cells.size(), 3U);
  EXPECT_EQ(cells[1].cell, 11);
  EXPECT_DOUBLE_EQ(cells[1].values[kReads], 4);
  EXPECT_DOUBLE_EQ(await(cells[1]), 10);
  EXPECT_DOUBLE_EQ(await(cells[2]), 1000) << "nothing completed with a request in flight: a stall, never 0";
}

TEST(DeviceMeter, DownSamplingIsADifferenceOfCounters) {
  expect_property("a cell of n samples holds what the counter grew by over them", [] {
    const auto growth =
        *rc::gen::container<std::vector<std::uint64_t>>(31, rc::gen::inRange<std::uint64_t>(0, 1000));
    std::vector<double> seconds{0};
    std::vector<std::uint64_t> reads{5};
    for (std::size_t i = 0; i < growth.size(); ++i) {
      seconds.push_back(static_cast<double>(i + 1));
      reads.push_back(reads.back() + growth[i]);
    }
    const auto cells =
        meter(disk_table(seconds, reads, reads), std::chrono::seconds(15), std::chrono::seconds(1));
    for (const FinishedCell& cell : cells) {
      if (cell.cell < 1 || cell.cell > 2) continue;
      const auto end = static_cast<std::size_t>(cell.cell * 15);
      RC_ASSERT(std::abs(cell.values[kReads] - static_cast<double>(reads[end] - reads[end - 15])) < 1e-6);
    }
  });
}

TEST(DeviceMeter, JitterConservesWork) {
  expect_property("the increases of the cells sum to the counter's, wherever the samples fall", [] {
    const auto jitter = *rc::gen::container<std::vector<int>>(40, rc::gen::inRange(-400, 400));
    std::vector<double> seconds;
    std::vector<std::uint64_t> reads;
    for (std::size_t i = 0; i < jitter.size(); ++i) {
      seconds.push_back(static_cast<double>(i) + 1000 + jitter[i] / 1000.0);
      reads.push_back(i * i);
    }
    // Whole seconds at both ends, so that no cell is too little covered to count.
    seconds.front() = 1000;
    seconds.back() = 1000.0 + static_cast<double>(jitter.size()) - 1;
    double sum = 0;
    for (const auto& cell :
         meter(disk_table(seconds, reads, reads), std::chrono::seconds(1), std::chrono::seconds(1))) {
      if (!std::isnan(cell.values[kReads])) sum += cell.values[kReads];
    }
    RC_ASSERT(std::abs(sum - static_cast<double>(reads.back())) < 1e-6);
  });
}

TEST(DeviceMeter, ResetsGapsAndRebootsAreMissing) {
  const auto reset =
      meter(disk_table({1, 2, 3}, {100, 7, 9}, {0, 0, 0}), std::chrono::seconds(1), std::chrono::seconds(1));
  for (const auto& cell : reset) {
    EXPECT_EQ(std::isnan(cell.values[kReads]), cell.cell != 3) << cell.cell;
  }
  const auto gap = meter(disk_table({1, 2, 6, 7}, {0, 1, 5, 6}, {0, 0, 0, 0}), std::chrono::seconds(1),
                         std::chrono::seconds(1));
  for (const auto& cell : gap) EXPECT_TRUE(cell.cell <= 2 || cell.cell >= 6) << cell.cell;

  DeviceMeter meter(Grid{std::chrono::seconds(1)}, std::chrono::seconds(1));
  std::vector<FinishedCell> cells;
  SampleTable before = disk_table({1, 2}, {0, 5}, {0, 0});
  before.set_boot("one");
  SampleTable after = disk_table({3, 4}, {100, 101}, {0, 0});
  after.set_boot("two");
  meter.add(before, 0, cells);
  meter.add(after, 0, cells);
  meter.finish(cells);
  for (const auto& cell : cells) {
    if (cell.cell != 3) continue;
    EXPECT_TRUE(std::isnan(cell.values[kReads])) << "grown by 95 over a reboot";
  }
}

TEST(DeviceMeter, AClockSteppedBackStartsAnew) {
  const auto cells = meter(disk_table({10, 11, 12, 11, 12, 13}, {0, 1, 2, 3, 4, 5}, {0, 0, 0, 0, 0, 0}),
                           std::chrono::seconds(1), std::chrono::seconds(1));
  ASSERT_GE(cells.size(), 5U);
  EXPECT_EQ(cells.back().cell, 13);
  EXPECT_DOUBLE_EQ(cells.back().values[kReads], 1);
  EXPECT_EQ(cells[cells.size() - 2].cell, 12) << "the repeated second is told again";
}

TEST(DeviceMeter, ACounterThatTablesLackedForAWhileBeginsAnew) {
  const auto table = [](double from, bool with_reads) {
    std::vector<WallTime> times;
    for (int t = 0; t < 10; ++t) times.push_back(from_unix_ns(std::llround((from + t) * 1e9)));
    std::vector<TableCounter> counters{{"wr_ios", CounterForm::kCumulative}};
    if (with_reads) counters.push_back({"rd_ios", CounterForm::kCumulative});
    SampleTable out("fs1", DeviceKind::kDisk, counters, {"sda"}, times);
    for (std::size_t t = 0; t < times.size(); ++t) {
      for (std::size_t c = 0; c < counters.size(); ++c) {
        out.set(c, 0, t, static_cast<std::uint64_t>(from) * 10 + 10 * t);
      }
    }
    return out;
  };
  DeviceMeter meter(Grid{std::chrono::seconds(1)}, std::chrono::seconds(1));
  std::vector<FinishedCell> cells;
  meter.add(table(10, true), 0, cells);
  meter.add(table(20, false), 0, cells);
  meter.add(table(30, true), 0, cells);
  meter.finish(cells);
  ASSERT_EQ(cells.size(), 29U);
  for (const FinishedCell& cell : cells) {
    EXPECT_EQ(cell.values[kWrites], 10);
    const bool lacking = cell.cell >= 20 && cell.cell <= 30;
    EXPECT_TRUE(lacking ? std::isnan(cell.values[kReads]) : cell.values[kReads] == 10)
        << cell.cell << ": what happened meanwhile did not happen in one second";
  }
}

TEST(DeviceMeter, GaugesAreAveragedPerCell) {
  std::vector<WallTime> times;
  for (int i = 1; i <= 4; ++i) times.push_back(from_unix_ns(i * 15 * kSecondInNs));
  SampleTable table("h", DeviceKind::kDisk, {{"latency", CounterForm::kComputedRate}}, {"d"}, times);
  table.set_computed_rate(0, 0, 0, 10);
  table.set_computed_rate(0, 0, 1, 20);
  table.set_computed_rate(0, 0, 3, 40);
  const auto cells = meter(table, std::chrono::seconds(30), std::chrono::seconds(15));
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_DOUBLE_EQ(cells[0].values[kLatency], 15);
  EXPECT_DOUBLE_EQ(cells[1].values[kLatency], 40) << "the missing sample is not a zero";
}

TEST(DeviceMeter, AfterAReattachmentNoCounterIsBelieved) {
  std::vector<WallTime> times;
  for (int i = 1; i <= 3; ++i) times.push_back(from_unix_ns(i * kSecondInNs));
  SampleTable table("h", DeviceKind::kDisk,
                    {{"rd_ios", CounterForm::kCumulative}, {"wr_ios", CounterForm::kCumulative}}, {"d"},
                    times);
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> counts{{1000, 10}, {50, 60}, {51, 62}};
  for (std::size_t t = 0; t < counts.size(); ++t) {
    table.set(0, 0, t, counts[t].first);
    table.set(1, 0, t, counts[t].second);
  }
  const auto cells = meter(table, std::chrono::seconds(1), std::chrono::seconds(1));
  ASSERT_EQ(cells.size(), 1U);
  EXPECT_EQ(cells[0].cell, 3);
  EXPECT_DOUBLE_EQ(cells[0].values[kWrites], 2) << "50 writes more were not done, the device is new";
}

TEST(DeviceMeter, LevelsAreCarriedOverACellThatJitterSkipped) {
  const auto cells = meter(disk_table({9.9, 10.9, 12.1, 13}, {0, 1, 2, 3}, {0, 0, 0, 0}),
                           std::chrono::seconds(1), std::chrono::seconds(1));
  for (const auto& cell : cells) {
    EXPECT_DOUBLE_EQ(cell.values[kInFlight], 1) << "cell " << cell.cell;
  }
  EXPECT_EQ(cells.size(), 4U) << "10 to 13, once each";
}

/// The counters of one disk, drawn as life deals them: idle and busy stretches, late and lost samples, other
/// phases and steps of the clock, reboots and wraps.
class DrawnDisk {
 public:
  explicit DrawnDisk(std::uint64_t seed)
      : random_(seed), now_(100 + 0.1 * static_cast<double>(random_() % 10)) {}

  SampleTable table() {
    if (random_() % 8 == 0) now_ += static_cast<double>(random_() % 12) - 4;
    if (random_() % 8 == 0) ++boot_;
    if (random_() % 10 == 0) counts_ = {0xFFFFFFF0, 5, 7};
    const bool idle = random_() % 3 == 0;
    const bool jitter = random_() % 3 == 0;
    std::vector<WallTime> times;
    std::vector<std::array<std::uint64_t, 4>> rows;
    for (std::size_t k = 1 + random_() % 40; k > 0; --k) {
      now_ += 1 + (random_() % 20 == 0 ? static_cast<double>(random_() % 4) : 0);
      const double late = jitter ? 0.001 * static_cast<double>(random_() % 100) : 0;
      times.push_back(from_unix_ns(std::llround((now_ + late) * 1e9)));
      for (std::uint64_t& count : counts_) count += idle ? 0 : random_() % 50;
      if (random_() % 200 == 0) counts_[0] /= 2;
      rows.push_back({counts_[0], counts_[1], counts_[2], idle ? idle_level_ : random_() % 3});
    }
    if (random_() % 4 == 0) idle_level_ = 1 - idle_level_;
    SampleTable table("fs1", DeviceKind::kDisk,
                      {{"rd_ios", CounterForm::kCumulative},
                       {"wr_ios", CounterForm::kCumulative},
                       {"rd_sectors", CounterForm::kCumulative},
                       {"in_flight", CounterForm::kGauge}},
                      {"sda"}, times);
    table.set_boot(std::to_string(boot_));
    const bool without_level = random_() % 6 == 0;
    for (std::size_t t = 0; t < times.size(); ++t) {
      for (std::size_t c = 0; c < (without_level ? 3 : 4); ++c) table.set(c, 0, t, rows[t][c]);
    }
    return table;
  }

 private:
  std::mt19937_64 random_;
  double now_;
  int boot_ = 1;
  std::uint64_t idle_level_ = 0;
  std::array<std::uint64_t, 3> counts_{1000, 2000, 3000};
};

std::vector<WholeColumn> columns_of(const SampleTable& table) {
  std::vector<WholeColumn> columns;
  for (std::size_t c = 0; c < table.counters().size(); ++c) {
    const auto values = table.series(c, 0);
    const bool constant =
        std::all_of(values.begin(), values.end(), [&](std::uint64_t v) { return v == values[0]; });
    columns.push_back({.slot = *slot_of(DeviceKind::kDisk, table.counters()[c].name),
                       .form = table.counters()[c].form,
                       .present = table.present(c, 0, 0),
                       .constant = constant,
                       .value = values[0],
                       .values = values});
  }
  return columns;
}

/// By a plan, where there is one.
void add_planned(DeviceMeter& meter, const SampleTable& table, Grid grid, std::vector<FinishedCell>& out) {
  meter.begin_boot(table.boot());
  const auto plan = CellPlan::make(meter.phase(), grid, std::chrono::seconds(1), table.times());
  CellBlock block;
  std::vector<FinishedCell> ends;
  if (!plan || !meter.add_planned(columns_of(table), *plan, block, ends)) return meter.add(table, 0, out);
  out.insert(out.end(), ends.begin(), ends.end());
  for (std::size_t k = 1; k + 1 < plan->cells.size(); ++k) {
    if (!block.idle && !block.tells(k)) continue;
    FinishedCell cell{plan->cells[k].cell, {}};
    cell.values.seconds = plan->cells[k].seconds;
    for (std::size_t s = 0; s < block.slots.size(); ++s) {
      cell.values[block.slots[s]] = block.idle ? 0 : block.values[s][k - 1];
    }
    out.push_back(cell);
  }
}

std::vector<FinishedCell> one_by_one(std::span<const SampleTable> tables, Grid grid) {
  DeviceMeter meter(grid, std::chrono::seconds(1));
  std::vector<FinishedCell> cells;
  for (const SampleTable& table : tables) meter.add(table, 0, cells);
  meter.finish(cells);
  return cells;
}

std::vector<FinishedCell> planned(std::span<const SampleTable> tables, Grid grid) {
  DeviceMeter meter(grid, std::chrono::seconds(1));
  std::vector<FinishedCell> cells;
  for (const SampleTable& table : tables) add_planned(meter, table, grid, cells);
  meter.finish(cells);
  return cells;
}

bool same_bits(const FinishedCell& a, const FinishedCell& b) {
  const auto same = [](double x, double y) {
    return (std::isnan(x) && std::isnan(y)) ||
           std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  };
  return a.cell == b.cell && a.values.seconds == b.values.seconds &&
         std::ranges::equal(a.values.values, b.values.values, same);
}

TEST(DeviceMeter, APlanGivesTheSameBits) {
  expect_property("as looking at the samples one by one", [](std::uint64_t seed) {
    constexpr std::array<int, 4> kSteps{1, 2, 5, 15};
    const Grid grid{std::chrono::seconds(kSteps[seed % kSteps.size()])};
    DrawnDisk disk(seed);
    std::vector<SampleTable> tables;
    for (int k = 0; k < 12; ++k) tables.push_back(disk.table());
    RC_ASSERT(std::ranges::equal(planned(tables, grid), one_by_one(tables, grid), same_bits));
  });
}

TEST(DeviceMeter, ARebootOntoAClockAFewSecondsBackDoesNotMixTwoLivesOfACell) {
  std::vector<SampleTable> tables{disk_table({104, 105, 106, 107}, {0, 1, 2, 3}, {0, 0, 0, 0}),
                                  disk_table({104.2, 105.2, 106.2, 107.2}, {0, 50, 100, 150}, {0, 0, 0, 0})};
  tables[0].set_boot("first");
  tables[1].set_boot("second");
  const Grid grid{std::chrono::seconds(2)};
  const auto cells = planned(tables, grid);
  EXPECT_TRUE(std::ranges::equal(cells, one_by_one(tables, grid), same_bits));
  ASSERT_FALSE(cells.empty());
  EXPECT_EQ(std::ranges::count(cells, cells.back().cell, &FinishedCell::cell), 2) << "one of each life";
}

}  // namespace
}  // namespace laggard::derive
