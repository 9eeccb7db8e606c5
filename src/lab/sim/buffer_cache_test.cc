#include "lab/sim/buffer_cache.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "testing/property.h"

namespace laggard::lab {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int64_t kPage = 4096;
constexpr std::int64_t kMegabyte = 1 << 20;

class Callback : public EventHandler {
 public:
  explicit Callback(std::function<void()> function) : function_(std::move(function)) {}
  void on_event(std::uint32_t /*kind*/, std::uint64_t /*about*/) override { function_(); }

 private:
  std::function<void()> function_;
};

/// 100 MB of memory: background writing beyond 10, blocking beyond 40.
BufferCacheSpec small_memory() {
  BufferCacheSpec spec;
  spec.memory = 100 * kMegabyte;
  return spec;
}

struct Server {
  explicit Server(const BufferCacheSpec& spec = small_memory(), double slower = 1)
      : disk(queue, DiskGeometry{}, ElevatorOptions{}, Random(1)), cache(queue, disk, spec, spec.writeback) {
    disk.set_slower(slower);
  }
  void write(std::int64_t at, std::int64_t bytes) { cache.write({at, at + bytes}, {&written, 0, 0}); }
  /// Writes so many megabytes a second, one after the other, until then, whether they are answered or not.
  void write_steadily(double megabytes_per_second, SimTime until) {
    const SimTime step = from_seconds(1 / megabytes_per_second);
    for (; queue.now() < until; queue.run_until(queue.now() + step)) {
      write(next, kMegabyte);
      next += kMegabyte;
      most_dirty = std::max(most_dirty, cache.dirty() + cache.under_writeback());
      greatest_age = std::max(greatest_age, cache.greatest_age());
    }
  }
  [[nodiscard]] std::int64_t written_in(WriteMode mode) const { return cache.counters().written_in(mode); }

  EventQueue queue;
  Disk disk;
  BufferCache cache;
  int answered = 0;
  Callback written{[this] { ++answered; }};
  std::int64_t next = 0;
  std::int64_t most_dirty = 0;
  SimTime greatest_age{};
};

TEST(BufferCache, SlowWritesLeaveWhenTheyAreThirtySecondsOldAtTheNextWakeUp) {
  Server server;
  server.write(0, kMegabyte);
  EXPECT_EQ(server.answered, 1);
  server.queue.run_until(seconds(1));
  server.write(kMegabyte, kMegabyte);
  server.queue.run_until(milliseconds(29'999));
  EXPECT_EQ(server.cache.dirty(), 2 * kMegabyte);
  server.queue.run_until(seconds(30));  // Only the first one is so old.
  EXPECT_EQ(server.cache.dirty(), kMegabyte);
  server.queue.run_until(milliseconds(34'999));
  EXPECT_EQ(server.cache.dirty(), kMegabyte);
  server.queue.run_until(seconds(36));
  EXPECT_EQ(server.cache.dirty(), 0);
  EXPECT_EQ(server.written_in(WriteMode::kPeriodic), 2 * kMegabyte);
  EXPECT_EQ(server.disk.counters().wr_sectors * 512, static_cast<std::uint64_t>(2 * kMegabyte));
}

TEST(BufferCache, EachModeHasItsRate) {
  // In 35 s 0.2 MB/s dirty 7 MB; 5 MB/s would dirty 175; the disk writes some 75 MB/s.
  Server periodic;
  periodic.write_steadily(0.2, seconds(120));
  EXPECT_GT(periodic.written_in(WriteMode::kPeriodic), 0);
  EXPECT_EQ(periodic.cache.counters().all_written(), periodic.written_in(WriteMode::kPeriodic));
  Server background;
  background.write_steadily(5, seconds(120));
  EXPECT_GT(background.written_in(WriteMode::kBackground), 500 * kMegabyte);
  EXPECT_EQ(background.written_in(WriteMode::kForeground), 0);
  EXPECT_LE(background.most_dirty, background.cache.background_limit() + 2 * kMegabyte);
  EXPECT_EQ(background.cache.counters().blocked, SimTime{});
  Server foreground;
  foreground.write_steadily(200, seconds(2));
  EXPECT_GT(foreground.written_in(WriteMode::kForeground), 0);
  EXPECT_GT(foreground.cache.blocked_writers(), 0U);
}

TEST(BufferCache, BlockedWritersGoOnWhenNoMoreIsDirtyThanDirtyRatioAllows) {
  Server server;
  server.write(0, 40 * kMegabyte);
  EXPECT_EQ(server.answered, 1);
  server.write(40 * kMegabyte, 4 * kMegabyte);
  server.write(44 * kMegabyte, 4 * kMegabyte);
  EXPECT_EQ(server.answered, 1);
  while (server.answered == 1) {
    EXPECT_GT(server.cache.dirty() + server.cache.under_writeback(), server.cache.dirty_limit());
    server.queue.run_until(server.queue.now() + milliseconds(1));
  }
  EXPECT_EQ(server.answered, 3);
  EXPECT_EQ(server.cache.blocked_writers(), 0U);
  EXPECT_GT(server.cache.counters().blocked, SimTime{});
  EXPECT_GT(server.written_in(WriteMode::kForeground), 0);
}

TEST(BufferCache, RewritingWhatIsDirtyCostsNothingAndDoesNotMakeItYoung) {
  Server server;
  for (int second = 0; second < 30; ++second) {
    server.write(0, kMegabyte);
    server.queue.run_until(seconds(second + 1));
  }
  EXPECT_EQ(server.cache.counters().absorbed, 29 * kMegabyte);
  server.queue.run_until(seconds(31));
  EXPECT_EQ(server.cache.counters().all_written(), kMegabyte);
}

TEST(BufferCache, ReadsOfCachedPagesHitAndTheLeastRecentlyUsedGo) {
  Server server;
  int read = 0;
  Callback done([&] { ++read; });
  const auto read_range = [&](std::int64_t at, std::int64_t bytes) {
    server.cache.read({at, at + bytes}, 1, {&done, 0, 0});
  };
  server.write(0, kMegabyte);
  read_range(0, kMegabyte);  // Dirty.
  EXPECT_EQ(read, 1);
  read_range(0, 2 * kMegabyte);  // Half of it is there.
  EXPECT_EQ(read, 1);
  server.queue.run_until(seconds(1));
  EXPECT_EQ(read, 2);
  EXPECT_EQ(server.disk.counters().rd_sectors * 512, static_cast<std::uint64_t>(kMegabyte));
  EXPECT_EQ(server.cache.counters().read_hits, 2 * kMegabyte);
  read_range(kMegabyte, kMegabyte);  // It has been read before.
  EXPECT_EQ(read, 3);
  server.queue.run_until(seconds(40));
  read_range(0, kMegabyte);  // It has been written, and is clean now.
  EXPECT_EQ(read, 4);
  for (int part = 2; part < 102; ++part) {
    read_range(part * kMegabyte, kMegabyte);
    server.queue.run_until(server.queue.now() + seconds(1));
  }
  EXPECT_EQ(server.cache.clean(), 100 * kMegabyte);
  const auto misses = server.cache.counters().read_misses;
  read_range(0, 2 * kMegabyte);
  EXPECT_EQ(server.cache.counters().read_misses, misses + 2 * kMegabyte);
}

TEST(BufferCache, ASyncWaitsForItsRangeAndForNothingElse) {
  Server server;
  int synced = 0;
  Callback done([&] { ++synced; });
  server.cache.sync({0, kMegabyte}, {&done, 0, 0});
  EXPECT_EQ(synced, 1);  // Nothing is dirty.
  server.write(0, 2 * kMegabyte);
  server.cache.sync({0, kMegabyte}, {&done, 0, 0});
  EXPECT_EQ(synced, 1);
  server.queue.run_until(seconds(1));
  EXPECT_EQ(synced, 2);
  EXPECT_EQ(server.cache.dirty(), kMegabyte);
  EXPECT_EQ(server.written_in(WriteMode::kSync), kMegabyte);
}

/// Pages written, read and synced at random.
void live_through_random_requests(Server& server, std::int64_t memory, std::int64_t region_pages) {
  const auto requests = *rc::gen::inRange(1, 150);
  for (int i = 0; i < requests; ++i) {
    const std::int64_t at = *rc::gen::inRange<std::int64_t>(0, region_pages) * kPage;
    const std::int64_t bytes = *rc::gen::inRange<std::int64_t>(1, 200) * kPage;
    const int kind = *rc::gen::inRange(0, 8);
    const auto before = server.cache.blocked_writers();
    if (kind == 0) {
      server.cache.read({at, at + bytes}, 1, {});
    } else if (kind == 1) {
      server.cache.sync({at, at + bytes}, {});
    } else {
      server.write(at, bytes);
    }
    const BufferCacheCounters& c = server.cache.counters();
    RC_ASSERT(server.cache.dirty() + c.all_written() + c.absorbed == c.received);
    const bool exceeds = server.cache.dirty() + server.cache.under_writeback() > server.cache.dirty_limit();
    RC_ASSERT(exceeds == (server.cache.blocked_writers() > 0));
    RC_ASSERT(server.cache.blocked_writers() <= before + 1);
    RC_ASSERT(server.cache.clean() + server.cache.dirty() <= std::max(server.cache.dirty(), memory));
    server.queue.run_until(server.queue.now() + milliseconds(*rc::gen::inRange(0, 600)));
  }
}

TEST(BufferCache, KeepsItsAccountsAndItsThresholds) {
  expect_property("dirty + written + absorbed = received; writers are blocked exactly beyond the limit", [] {
    BufferCacheSpec spec = small_memory();
    spec.memory = *rc::gen::inRange<std::int64_t>(1, 100) * kMegabyte;
    Server server(spec, *rc::gen::element(1.0, 20.0));
    live_through_random_requests(server, spec.memory, *rc::gen::inRange<std::int64_t>(100, 20'000));
    // Left alone it answers everybody, and in the end nothing is dirty.
    server.queue.run_until(server.queue.now() + std::chrono::minutes(10));
    RC_ASSERT(server.cache.blocked_writers() == 0U);
    RC_ASSERT(server.cache.dirty() + server.cache.under_writeback() == 0);
    RC_ASSERT(static_cast<std::int64_t>(server.disk.counters().wr_sectors) * 512 ==
              server.cache.counters().all_written());
  });
}

TEST(BufferCache, NothingStaysDirtyForLongerThanTheExpiryAndAWakeUp) {
  expect_property("the greatest age is below expiry + wake-up while the queue has room", [] {
    BufferCacheSpec spec;
    spec.expire = seconds(*rc::gen::inRange(1, 40));
    spec.writeback = seconds(*rc::gen::inRange(1, 8));
    Server server(spec);
    // At a wake-up there are at most 8 s of 2 MB/s to write: 32 requests, which are all taken at once.
    server.write_steadily(*rc::gen::inRange(1, 20) * 0.1, seconds(120));
    RC_ASSERT(server.greatest_age <= spec.expire + spec.writeback);
    RC_ASSERT(server.written_in(WriteMode::kPeriodic) == server.cache.counters().all_written());
  });
}

}  // namespace
}  // namespace laggard::lab
