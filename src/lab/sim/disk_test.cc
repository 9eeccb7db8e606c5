#include "lab/sim/disk.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace laggard::lab {
namespace {
/// A disk whose rate is constant and as in the data sheet.
DiskGeometry steady() {
  DiskGeometry disk;
  disk.wander = 0;
  return disk;
}

using std::chrono::seconds;

constexpr std::int64_t kMegabyte = 1 << 20;
constexpr std::int64_t kFarAway = 200'000'000'000;

/// Calls a function for each event.
class Callback : public EventHandler {
 public:
  explicit Callback(std::function<void(std::uint64_t)> function) : function_(std::move(function)) {}
  void on_event(std::uint32_t /*kind*/, std::uint64_t about) override { function_(about); }

 private:
  std::function<void(std::uint64_t)> function_;
};

/// One process of many that reads or writes without a pause.
class Stream : public EventHandler {
 public:
  Stream(Disk& disk, DiskIo io, std::int64_t stride = 0) : disk_(disk), io_(io), stride_(stride) {
    io_.done = {this, 0, 0};
    disk_.submit(io_);
  }
  void on_event(std::uint32_t /*kind*/, std::uint64_t /*about*/) override {
    bytes += io_.bytes;
    io_.at += io_.bytes + stride_;
    disk_.submit(io_);
  }
  std::int64_t bytes = 0;

 private:
  Disk& disk_;
  DiskIo io_;
  std::int64_t stride_;
};

struct DiskTest : testing::Test {
  EventQueue queue;
  Disk disk{queue, steady(), ElevatorOptions{}, Random(1)};
};

double read_await_ms(const DiskCounters& from, const DiskCounters& to) {
  return 1e-6 * static_cast<double>(to.rd_ns - from.rd_ns) / static_cast<double>(to.rd_ios - from.rd_ios);
}

TEST(DiskGeometry, SeeksAndRatesAreThoseOfTheDataSheet) {
  const DiskGeometry disk;
  Random random(1);
  double mean = 0;
  constexpr int kDraws = 100000;
  for (int i = 0; i < kDraws; ++i) {
    const auto from = static_cast<std::int64_t>(random.uniform() * disk.capacity_bytes);
    const auto to = static_cast<std::int64_t>(random.uniform() * disk.capacity_bytes);
    mean += seek_ms(disk, from, to) / kDraws;
  }
  EXPECT_NEAR(mean, 8.5, 0.1);
  EXPECT_EQ(seek_ms(disk, 5, 5), 0);
  EXPECT_NEAR(transfer_ms(disk, 0, 78'000'000), 1000, 1e-6);
  EXPECT_NEAR(transfer_ms(disk, 320'000'000'000, 40'000'000), 1000, 1e-6);
}

TEST_F(DiskTest, SequentialReadsReachTheMediaRateAndSmallRandomOnesTheArmsPace) {
  const Stream sequential(disk, {.bytes = kMegabyte});
  queue.run_until(seconds(10));
  EXPECT_NEAR(static_cast<double>(sequential.bytes) / 10, 76e6, 2e6);

  EventQueue other;
  Disk random_disk(other, steady(), ElevatorOptions{}, Random(2));
  Random random(3);
  int done = 0;
  Callback next([&](std::uint64_t) {
    ++done;
    const auto at = static_cast<std::int64_t>(random.uniform() * 320e9 / 4096) * 4096;
    random_disk.submit({.at = at, .bytes = 4096, .done = {&next, 0, 0}});
  });
  random_disk.submit({.at = 4096, .bytes = 4096, .done = {&next, 0, 0}});
  other.run_until(seconds(60));
  // 8.5 ms of seek + half a turn + overhead.
  EXPECT_NEAR(60e3 / done, 12.9, 0.4);
}

TEST_F(DiskTest, CountersFollowTheKernelsDefinitions) {
  bool finished = false;
  Callback done([&](std::uint64_t) { finished = true; });
  disk.submit({.at = kMegabyte, .bytes = kMegabyte, .done = {&done, 0, 0}});
  EXPECT_EQ(disk.counters().in_flight, 2U);
  queue.run_until(seconds(1));
  EXPECT_TRUE(finished);
  const DiskCounters c = disk.counters();
  EXPECT_EQ(c.rd_ios, 2U);
  EXPECT_EQ(c.rd_sectors, 2048U);
  EXPECT_EQ(c.wr_ios, 0U);
  EXPECT_EQ(c.in_flight, 0U);
  // Little's law: the integral of the queue is the sum of the waits.
  EXPECT_EQ(c.weighted_ns, c.rd_ns);
  EXPECT_LT(c.io_ns, c.rd_ns);
  EXPECT_GT(c.io_ns, 13'000'000U);
}

TEST_F(DiskTest, NeighbouringWritesAreMergedAndEachIsAnswered) {
  std::vector<std::uint64_t> heard;
  Callback done([&](std::uint64_t about) { heard.push_back(about); });
  // The first one goes to the device at once; the others wait and are merged into one request.
  for (std::uint64_t i = 0; i < 5; ++i) {
    disk.submit({.at = static_cast<std::int64_t>(i) * 4096,
                 .bytes = 4096,
                 .write = true,
                 .io_class = IoClass::kAsync,
                 .done = {&done, 0, i}});
  }
  queue.run_until(seconds(1));
  EXPECT_THAT(heard, testing::ElementsAre(0, 1, 2, 3, 4));
  EXPECT_EQ(disk.counters().wr_ios, 2U);
  EXPECT_EQ(disk.counters().wr_merges, 3U);
  EXPECT_EQ(disk.counters().wr_sectors, 40U);
}

TEST_F(DiskTest, ReadersTakeTurnsBySlicesOfTime) {
  const Stream near(disk, {.bytes = 16 * kMegabyte, .stream = 1});
  const Stream far(disk, {.at = kFarAway, .bytes = 16 * kMegabyte, .stream = 2});
  queue.run_until(seconds(20));
  // Equal time, unequal zones: 78 against 54 MB/s, less what the arm needs between slices.
  const double ratio = static_cast<double>(near.bytes) / static_cast<double>(far.bytes);
  EXPECT_NEAR(ratio, 78.0 / 54, 0.15);
  EXPECT_GT(static_cast<double>(near.bytes + far.bytes) / 20, 50e6);
}

TEST_F(DiskTest, AReaderTakesMostOfTheDiskFromWriters) {
  const Stream writer(disk, {.bytes = 4 * kMegabyte, .write = true, .io_class = IoClass::kAsync});
  queue.run_until(seconds(5));
  const double alone = static_cast<double>(writer.bytes) / 5;
  const std::int64_t before = writer.bytes;
  const Stream reader(disk, {.at = kFarAway, .bytes = 32 * kMegabyte, .stream = 2});
  queue.run_until(seconds(25));
  const double beside = static_cast<double>(writer.bytes - before) / 20;
  EXPECT_GT(alone, 70e6);
  EXPECT_LT(beside, 0.35 * alone);
  EXPECT_GT(beside, 0.05 * alone);
}

TEST_F(DiskTest, NoWriteStarvesBehindNearerOnes) {
  // Other streams always keep one small write waiting just above where the last one ended, and the
  // pass-through reads move the arm without CFQ's knowledge.
  const Stream hidden(disk, {.at = kFarAway, .bytes = kMegabyte, .io_class = IoClass::kPassThrough});
  const Stream near(disk, {.bytes = 4096, .write = true, .io_class = IoClass::kAsync}, 4096);
  const Stream more(disk, {.at = 65536, .bytes = 4096, .write = true, .io_class = IoClass::kAsync}, 4096);
  queue.run_until(seconds(2));
  double finished = 0;
  Callback done([&](std::uint64_t) { finished = to_seconds(queue.now()); });
  disk.submit(
      {.at = kFarAway / 2, .bytes = 4096, .write = true, .io_class = IoClass::kAsync, .done = {&done, 0, 0}});
  queue.run_until(seconds(10));
  // cfq_fifo_expire of a quarter of a second, and the slices that are under way.
  EXPECT_GT(finished, 2);
  EXPECT_LT(finished, 2.5);
}

TEST_F(DiskTest, PassThroughAlternatesWithRequestsAndIsInNoCounter) {
  const Stream reader(disk, {.bytes = 4 * kMegabyte, .stream = 1});
  queue.run_until(seconds(10));
  const DiskCounters before = disk.counters();
  const double alone = static_cast<double>(reader.bytes) / 10;
  const Stream hidden(disk, {.at = kFarAway, .bytes = kMegabyte, .io_class = IoClass::kPassThrough});
  queue.run_until(seconds(20));
  const DiskCounters after = disk.counters();
  const double beside = static_cast<double>(after.rd_sectors - before.rd_sectors) * 512 / 10;
  EXPECT_GT(hidden.bytes, 0);
  // One command of 1 MB with two long seeks between every two requests of 512 KB.
  EXPECT_LT(beside, 0.25 * alone);
  EXPECT_GT(beside, 0.08 * alone);
  EXPECT_GT(read_await_ms(before, after), 3 * read_await_ms({}, before));
}

TEST_F(DiskTest, ASlowDiskReadsSoMuchLessAndAStandingOneNothing) {
  const Stream reader(disk, {.bytes = kMegabyte});
  queue.run_until(seconds(10));
  const std::int64_t healthy = reader.bytes;
  disk.set_slower(4);
  queue.run_until(seconds(20));
  EXPECT_NEAR(static_cast<double>(reader.bytes - healthy) / static_cast<double>(healthy), 0.25, 0.01);
  disk.set_slower(1);
  disk.stand_still_until(seconds(25));
  queue.run_until(seconds(21));  // What was under way is finished.
  const std::int64_t before = reader.bytes;
  queue.run_until(seconds(25));
  EXPECT_EQ(reader.bytes, before);
  queue.run_until(seconds(35));
  EXPECT_GT(reader.bytes, before + healthy * 9 / 10);
}

TEST(Disk, EqualSeedsGiveEqualRuns) {
  const auto run = [](std::uint64_t seed) {
    EventQueue queue;
    Disk disk(queue, steady(), ElevatorOptions{}, Random(seed));
    const Stream a(disk, {.bytes = kMegabyte, .stream = 1}, kMegabyte);
    const Stream b(disk, {.at = kFarAway, .bytes = kMegabyte, .stream = 2}, kMegabyte);
    queue.run_until(seconds(5));
    return std::pair(disk.counters().rd_ns, a.bytes - b.bytes);
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

}  // namespace
}  // namespace laggard::lab
