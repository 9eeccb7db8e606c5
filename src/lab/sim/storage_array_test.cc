#include "lab/sim/storage_array.h"

#include <gtest/gtest.h>

namespace laggard::lab {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int64_t kBlock = 256 << 10;

/// Disks that take 10 ms for whatever is not the next, memory of 256 KiB a millisecond, loops of twice that.
ArrayGeometry exact() {
  ArrayGeometry array;
  array.luns = 4;
  array.controllers = 2;
  array.group.disk = {.capacity_bytes = 1e9,
                      .outer_bytes_per_second = 1e18,
                      .inner_bytes_per_second = 1e18,
                      .track_seek_ms = 10,
                      .long_seek_ms = 0,
                      .rotation_ms = 0,
                      .overhead_ms = 0};
  array.command = milliseconds(1);
  array.memory_bytes_per_second = 1e3 * kBlock;
  array.loop_bytes_per_second = 2e3 * kBlock;
  array.cache_bytes = 8 * kBlock;
  return array;
}

ArrayAccess block(SimTime at, std::size_t lun, std::int64_t position, bool write) {
  return {.at = at,
          .lun = lun,
          .controller = lun % 2,
          .write = write,
          .position = position * kBlock,
          .bytes = kBlock,
          .retry = {}};
}

TEST(StorageArray, AReadPassesMemoryLoopAndDisks) {
  StorageArray array(exact(), Random(1));
  const auto wait = [&](SimTime at, std::size_t lun, std::int64_t position) {
    return array.serve(block(at, lun, position, false)).last - at;
  };
  EXPECT_EQ(wait(seconds(1), 0, 100), std::chrono::microseconds(1000 + 1000 + 500 + 10'000));
  // Behind another LUN's of the same controller for 2 ms, of the other controller not at all.
  EXPECT_EQ(wait(seconds(1), 2, 100), std::chrono::microseconds(2000 + 2000 + 500 + 10'000));
  EXPECT_EQ(wait(seconds(1), 1, 100), std::chrono::microseconds(2000 + 500 + 10'000));
  ArrayAccess crossing = block(seconds(2), 0, 200, false);
  crossing.controller = 1;
  EXPECT_EQ(array.serve(crossing).last - seconds(2), std::chrono::microseconds(3000 + 500 + 10'000));
  ArrayAccess cached = block(seconds(2), 0, 0, false);
  cached.cached = true;
  EXPECT_EQ(array.serve(cached).last - seconds(2), milliseconds(2));
}

TEST(StorageArray, WritesWaitForDisksOnlyWhenTheCacheIsFull) {
  StorageArray array(exact(), Random(1));
  SimTime longest{};
  for (int i = 0; i < 4; ++i) {
    longest = std::max(longest, array.serve(block(seconds(1), 0, 100 * i, true)).last - seconds(1));
  }
  EXPECT_EQ(longest, milliseconds(4 * 2));
  // Ten at a time are two more than fit beside what waits for disks of 10 ms.
  StorageArray slow(exact(), Random(1));
  slow.group(0).stand_still_until(seconds(3));
  SimTime last{};
  for (int i = 0; i < 10; ++i) last = slow.serve(block(seconds(1), 0, 100 * i, true)).last;
  EXPECT_GT(last, seconds(3));
  EXPECT_LT(last, seconds(3) + milliseconds(100));
}

TEST(StorageArray, IdleDisksMakeRoomInTheCache) {
  for (const bool idle : {false, true}) {
    StorageArray array(exact(), Random(1));
    for (int i = 0; i < 4; ++i) array.serve(block(seconds(1), 0, 100 * i, true));
    EXPECT_EQ(array.group(0).free_at(), SimTime{}) << "half of the cache is kept";
    // What is a second old is written before the next access, unless the disks stand still.
    if (!idle) array.group(0).stand_still_until(seconds(9));
    array.serve(block(seconds(4), 0, 1000, false));
    array.group(0).stand_still_until(seconds(9));
    SimTime last{};
    for (int i = 0; i < 8; ++i) last = array.serve(block(seconds(5), 0, 100 * i, true)).last;
    EXPECT_EQ(last < seconds(6), idle);
  }
}

TEST(StorageArray, ARebuildSlowsItsLunMostAndItsNeighboursToo) {  // T §6.3
  ArrayGeometry geometry = exact();
  geometry.loop_bytes_per_second = 500.0 * kBlock;
  StorageArray array(geometry, Random(1));
  array.group(0).fail(0);
  array.rebuild(0, seconds(1));
  double waited_ms[4] = {};
  for (int i = 0; i < 400; ++i) {
    for (std::size_t lun = 0; lun < 4; ++lun) {
      const SimTime at = seconds(1) + milliseconds(100 * i + 23 * static_cast<int>(lun));
      waited_ms[lun] += to_seconds(array.serve(block(at, lun, 10 * i, false)).last - at) * 1e3 / 400;
    }
  }
  EXPECT_GT(waited_ms[0], 1.2 * waited_ms[2]);
  EXPECT_GT(waited_ms[2], 1.2 * waited_ms[1]) << "LUN 1 is the other controller's";
  EXPECT_NEAR(waited_ms[1], waited_ms[3], 0.5);
  EXPECT_GT(array.group(0).progress(), 0.1);
}

TEST(StorageArray, ACopyGoesOnWhetherTheRebuildBeforeItHasEndedOrNot) {
  for (const bool ended : {false, true}) {
    ArrayGeometry geometry = exact();
    geometry.group.disk.capacity_bytes = 100.0 * static_cast<double>(geometry.group.copy_piece_bytes);
    StorageArray array(geometry, Random(1));
    array.group(0).fail(0);
    array.rebuild(0, seconds(1));
    array.serve(block(ended ? seconds(500) : seconds(2), 1, 0, false));
    EXPECT_EQ(!array.group(0).next_piece(), ended);
    array.copy_back(0, 0, seconds(600));
    const SimTime alone = array.serve(block(seconds(601), 1, 5, false)).last;
    EXPECT_GT(array.group(0).progress(), 0.1);
    EXPECT_LT(array.group(0).progress(), 1) << "each piece is moved once";
    EXPECT_LT(alone, seconds(602));
    array.serve(block(seconds(700), 1, 0, false));
    EXPECT_FALSE(array.group(0).next_piece().has_value());
  }
}

}  // namespace
}  // namespace laggard::lab
