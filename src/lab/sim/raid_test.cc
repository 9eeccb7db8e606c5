#include "lab/sim/raid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace laggard::lab {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int64_t kStrip = 64 << 10;

/// Disks without chance: every access that is not the next one on its disk takes 10 ms, transfers take none.
RaidGeometry exact(std::size_t disks, std::size_t parity) {
  RaidGeometry geometry;
  geometry.disks = disks;
  geometry.parity = parity;
  geometry.strip_bytes = kStrip;
  geometry.disk = {.capacity_bytes = 1e9,
                   .outer_bytes_per_second = 1e18,
                   .inner_bytes_per_second = 1e18,
                   .track_seek_ms = 10,
                   .long_seek_ms = 0,
                   .rotation_ms = 0,
                   .overhead_ms = 0};
  geometry.copy_piece_bytes = 1 << 20;
  geometry.copy_rest = milliseconds(5);
  return geometry;
}

/// The disks that an access occupies, one made slow at a time: those whose slowness shows.
std::set<std::size_t> disks_of(const RaidAccess& access, bool write, std::optional<std::size_t> failed = {}) {
  std::set<std::size_t> disks;
  const RaidGeometry geometry = exact(5, 1);
  for (std::size_t d = 0; d < geometry.disks; ++d) {
    RaidGroup group(geometry, Random(1));
    if (failed) group.fail(*failed);
    group.set_ailment(d, {.slower = 100, .retried = 0, .retry = {}});
    const Served served = write ? group.write(seconds(1), access) : group.read(seconds(1), access);
    if (served.last > seconds(1) + milliseconds(500)) disks.insert(d);
  }
  return disks;
}

TEST(RaidGroup, StripsAndParityMoveOnFromStripeToStripe) {
  using Disks = std::set<std::size_t>;
  EXPECT_EQ(disks_of({.at = 0, .bytes = kStrip}, false), Disks({0}));
  EXPECT_EQ(disks_of({.at = 0, .bytes = 4 * kStrip}, false), Disks({0, 1, 2, 3}));
  EXPECT_EQ(disks_of({.at = 4 * kStrip, .bytes = 4 * kStrip}, false), Disks({1, 2, 3, 4}));
  EXPECT_EQ(disks_of({.at = 3 * kStrip, .bytes = 2 * kStrip}, false), Disks({1, 3}));
  EXPECT_EQ(disks_of({.at = 0, .bytes = 4 * kStrip}, true), Disks({0, 1, 2, 3, 4}));
  EXPECT_EQ(disks_of({.at = 0, .bytes = 2 * kStrip}, true), Disks({0, 1, 4}));
}

TEST(RaidGroup, WholeStripesAreTheSumOfTheirStripes) {
  for (std::int64_t first = 0; first < 5; ++first) {
    for (std::int64_t stripes = 1; stripes < 8; ++stripes) {
      for (const bool write : {false, true}) {
        std::set<std::size_t> sum;
        for (std::int64_t stripe = first; stripe < first + stripes; ++stripe) {
          sum.merge(disks_of({.at = stripe * 4 * kStrip, .bytes = 4 * kStrip}, write));
        }
        EXPECT_EQ(disks_of({.at = first * 4 * kStrip, .bytes = stripes * 4 * kStrip}, write), sum);
      }
    }
  }
}

TEST(RaidGroup, ALostStripIsReadFromAllOthersOfItsStripe) {
  using Disks = std::set<std::size_t>;
  EXPECT_EQ(disks_of({.at = 0, .bytes = kStrip}, false, 0), Disks({1, 2, 3, 4}));
  EXPECT_EQ(disks_of({.at = 0, .bytes = 4 * kStrip}, false, 0), Disks({1, 2, 3, 4}));
  EXPECT_EQ(disks_of({.at = kStrip, .bytes = kStrip}, false, 0), Disks({1}));
  // A write of whole stripes goes to one disk less (T §6.3).
  EXPECT_EQ(disks_of({.at = 0, .bytes = 4 * kStrip}, true, 0), Disks({1, 2, 3, 4}));
}

TEST(RaidGroup, LostStripsAreComputed) {
  RaidGroup group(exact(5, 1), Random(1));
  const RaidAccess stripe{.at = 0, .bytes = 4 * kStrip};
  EXPECT_EQ(group.computed_bytes(stripe), 0);
  group.fail(4);
  EXPECT_EQ(group.computed_bytes(stripe), 0);  // It held the parity.
  group.fail(1);
  EXPECT_EQ(group.computed_bytes(stripe), 5 * kStrip);
  EXPECT_EQ(group.computed_bytes({.at = 0, .bytes = 20 * kStrip}), 4 * 5 * kStrip);
}

TEST(RaidGroup, AccessesWaitForTheirDisksInTheOrderOfArrival) {
  RaidGroup group(exact(5, 1), Random(1));
  EXPECT_EQ(group.read(seconds(1), {.at = 0, .bytes = kStrip}).last, seconds(1) + milliseconds(10));
  EXPECT_EQ(group.read(seconds(1), {.at = 20 * kStrip, .bytes = kStrip}).last, seconds(1) + milliseconds(20));
  EXPECT_EQ(group.read(seconds(1), {.at = kStrip, .bytes = kStrip}).last, seconds(1) + milliseconds(10));
  // The next strip of the same disk needs no seek.
  EXPECT_EQ(group.read(seconds(2), {.at = 2 * kStrip, .bytes = kStrip}).last, seconds(2) + milliseconds(10));
  EXPECT_EQ(group.read(seconds(3), {.at = 5 * kStrip, .bytes = kStrip}).last, seconds(3));
}

TEST(RaidGroup, PartsOfStripesAreReadBeforeTheyAreWritten) {
  RaidGroup group(exact(5, 1), Random(1));
  EXPECT_EQ(group.write(seconds(1), {.at = 0, .bytes = 4 * kStrip}).last, seconds(1) + milliseconds(10));
  EXPECT_EQ(group.write(seconds(2), {.at = 40 * kStrip, .bytes = kStrip}).last,
            seconds(2) + milliseconds(20));
}

TEST(RaidGroup, ARebuildReadsTheOthersAndEndsWithTheDisk) {
  RaidGroup group(exact(5, 1), Random(1));
  group.fail(2);
  EXPECT_FALSE(group.next_piece().has_value());
  group.rebuild(seconds(1));
  ASSERT_EQ(group.next_piece(), seconds(1));
  EXPECT_EQ(group.piece_bytes(), 5 << 20);
  group.move_piece(seconds(1));
  // Read, written, rested.
  EXPECT_EQ(group.next_piece(), seconds(1) + milliseconds(10 + 10 + 5));
  EXPECT_NEAR(group.progress(), 0.001, 0.0001);
  // What has been rebuilt is read from the disk again; what has not, from all others.
  group.set_ailment(2, {.slower = 100, .retried = 0, .retry = {}});
  EXPECT_GT(group.read(seconds(2), {.at = 2 * kStrip, .bytes = kStrip}).last, seconds(2) + milliseconds(500));
  EXPECT_LT(group.read(seconds(4), {.at = 8002 * kStrip, .bytes = kStrip}).last,
            seconds(4) + milliseconds(500));
  int pieces = 1;
  for (; group.next_piece(); ++pieces) group.move_piece(*group.next_piece());
  EXPECT_EQ(pieces, 954);  // 1 GB in pieces of 1 MiB.
}

TEST(RaidGroup, CopyingBackReadsTheSpareAlone) {
  RaidGroup group(exact(5, 1), Random(1));
  group.fail(2);
  group.rebuild(seconds(1));
  group.copy_back(2, seconds(1));
  EXPECT_EQ(group.piece_bytes(), 2 << 20);
  group.move_piece(seconds(1));
  EXPECT_EQ(group.read(seconds(1), {.at = 40 * kStrip, .bytes = kStrip}).last, seconds(1) + milliseconds(10));
  EXPECT_EQ(group.read(seconds(1), {.at = 42 * kStrip, .bytes = kStrip}).last, seconds(1) + milliseconds(20));
  group.repaired();
  EXPECT_FALSE(group.next_piece().has_value());
}

TEST(RaidGroup, ABadPlaceAndADiskThatStandsStillAreWaitedFor) {
  RaidGroup group(exact(5, 1), Random(1));
  const RaidAccess bad{.at = 0, .bytes = kStrip, .retry = milliseconds(300)};
  EXPECT_EQ(group.read(seconds(1), bad).last, seconds(1) + milliseconds(310));
  group.stand_still_until(seconds(9));
  EXPECT_EQ(group.read(seconds(2), {.at = kStrip, .bytes = kStrip}).last, seconds(9) + milliseconds(10));
  EXPECT_EQ(group.free_at(), seconds(9) + milliseconds(10));
}

TEST(RaidGroup, RetriesHappenAsOftenAsSaid) {
  RaidGroup group(exact(5, 1), Random(7));
  group.set_ailment(0, {.slower = 1, .retried = 0.1, .retry = milliseconds(400)});
  int retried = 0;
  double waited_ms = 0;
  constexpr int kAccesses = 4000;
  for (int i = 0; i < kAccesses; ++i) {
    const SimTime now = seconds(100 * (i + 1));
    const SimTime wait = group.read(now, {.at = i % 2 * 20 * kStrip, .bytes = kStrip}).last - now;
    if (wait > milliseconds(10)) ++retried;
    waited_ms += to_seconds(wait) * 1e3 - 10;
  }
  EXPECT_NEAR(retried, 0.1 * kAccesses, 60);
  EXPECT_NEAR(waited_ms / retried, 400, 60);
}

}  // namespace
}  // namespace laggard::lab
