// T §6.1.2 measured: what Linux's buffer cache makes of the disks of PVFS servers. Nothing in the simulation
// knows of these claims.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "testing/run_metrics.h"

namespace laggard::lab {
namespace {

constexpr RunMetrics::Span kLater{120, 300};

/// Servers with a cache, and clients whose own work lets each write so many bytes a second.
ClusterSpec buffered(std::size_t clients, std::size_t servers, double write_rate) {
  ClusterSpec cluster = cluster_of(FileSystem::kPvfs);
  cluster.clients = clients;
  cluster.servers = servers;
  cluster.pvfs.buffered = true;
  cluster.pvfs.write_rate = write_rate;
  return cluster;
}

RunSpec writing(Workload workload = Workload::kDdWrite) {
  RunSpec run;
  run.workload = workload;
  run.duration = std::chrono::seconds(300);
  return run;
}

/// Megabytes that a server's disk has written in a second.
double written(const RunMetrics& run, std::size_t server, std::size_t second) {
  return run.disk(server, "wr_sectors", {second, second + 1}) / 2048;
}

/// The share of seconds in which a server's disk writes, or does not, as it will so many seconds later.
double likeness_after(const RunMetrics& run, std::size_t server, std::size_t lag) {
  double alike = 0;
  for (std::size_t at = kLater.from; at + lag < kLater.to; ++at) {
    if ((written(run, server, at) > 1) == (written(run, server, at + lag) > 1)) ++alike;
  }
  return alike / static_cast<double>(kLater.to - lag - kLater.from);
}

TEST(BufferedServers, SlowWritesReachTheDiskAsBurstsEveryFiveSecondsOfWhatIsThirtySecondsOld) {
  const RunMetrics run(buffered(3, 3, 6e6), writing());
  for (std::size_t server = 0; server < 3; ++server) {
    std::size_t second = 15;
    while (written(run, server, second) < 1) ++second;
    EXPECT_GE(second, 15U + 30);
    EXPECT_LT(second, 15U + 38);
    std::size_t busy = 0;
    for (std::size_t at = kLater.from; at < kLater.to; ++at) {
      if (written(run, server, at) > 1) ++busy;
    }
    EXPECT_LT(static_cast<double>(busy) / static_cast<double>(kLater.to - kLater.from), 0.45);
    EXPECT_GT(likeness_after(run, server, 5), 0.8);
    EXPECT_LT(likeness_after(run, server, 2), 0.6);
  }
}

TEST(BufferedServers, WriteSteadilyInTheBackgroundAndAreSaturatedInTheForeground) {
  const RunMetrics background(buffered(4, 4, 50e6), writing());
  for (std::size_t server = 0; server < 4; ++server) {
    for (std::size_t at = kLater.from; at + 10 <= kLater.to; at += 10) {
      EXPECT_GT(background.disk(server, "wr_sectors", {at, at + 10}) / 2048, 5);
    }
    EXPECT_LT(background.utilisation(server, kLater), 90);
  }
  const RunMetrics foreground(buffered(6, 3, 400e6), writing());
  double busiest = 0;
  double longest = 0;
  for (std::size_t server = 0; server < 3; ++server) {
    busiest = std::max(busiest, foreground.utilisation(server, kLater));
    longest = std::max(longest, foreground.await(server, kLater));
  }
  EXPECT_GT(busiest, 99);
  EXPECT_GT(longest, 500);  // Of a queue of 128 requests of 512 KB.
}

/// Runs a cluster and adds up what its servers' caches count; holds each one's account on the way.
BufferCacheCounters counted(const ClusterSpec& spec) {
  Cluster cluster(spec, writing());
  cluster.run();
  BufferCacheCounters sum;
  for (std::size_t server = 0; server < spec.servers; ++server) {
    const BufferCache& cache = *cluster.server(server).cache();
    const BufferCacheCounters& own = cache.counters();
    EXPECT_EQ(cache.dirty() + own.all_written() + own.absorbed, own.received);
    for (std::size_t mode = 0; mode < kWriteModes; ++mode) sum.written[mode] += own.written[mode];
    sum.blocked += own.blocked;
  }
  return sum;
}

TEST(BufferedServers, BlockWritersInTheForegroundOnly) {
  const BufferCacheCounters periodic = counted(buffered(3, 3, 6e6));
  EXPECT_GT(periodic.written_in(WriteMode::kPeriodic), 0);
  EXPECT_EQ(periodic.all_written(), periodic.written_in(WriteMode::kPeriodic));
  const BufferCacheCounters background = counted(buffered(4, 4, 50e6));
  EXPECT_GT(background.written_in(WriteMode::kBackground), 0);
  EXPECT_EQ(background.written_in(WriteMode::kForeground), 0);
  EXPECT_EQ(background.blocked, SimTime{});
  const BufferCacheCounters foreground = counted(buffered(6, 3, 400e6));
  EXPECT_GT(foreground.written_in(WriteMode::kForeground), 0);
  EXPECT_GT(foreground.blocked, std::chrono::seconds(100));
  // With direct I/O, which is the default, there is no cache.
  EXPECT_EQ(Cluster(cluster_of(FileSystem::kPvfs), writing()).server(0).cache(), nullptr);
}

TEST(BufferedServers, OneInTheForegroundDiffersFromItsPeersThoughNothingIsWrong) {
  ClusterSpec cluster = buffered(6, 4, 400e6);
  cluster.pvfs.first_memory = std::int64_t{512} << 20;
  cluster.disk_spread = 0;
  const RunMetrics run(cluster, writing());
  const RunMetrics::Span early{40, 70};
  const auto await = [&](std::size_t server) { return run.await(server, early); };
  EXPECT_GT(await(0), 500);
  EXPECT_GT(run.utilisation(0, early), 95);
  // It sends the same amount of data to its disk as the others.
  const auto sectors = [&](std::size_t server) { return run.disk(server, "wr_sectors", kLater); };
  EXPECT_NEAR(sectors(0) / run.median_of_others(0, sectors), 1, 0.05);
}

TEST(BufferedServers, RewritingASmallFileHardlyReachesTheDisk) {
  ClusterSpec cluster = buffered(3, 3, 50e6);
  cluster.experiment.file_bytes = std::int64_t{80} << 20;
  const auto share_written = [&](bool buffered) {
    cluster.pvfs.buffered = buffered;
    const RunMetrics run(cluster, writing());
    double received = 0;
    double sectors = 0;
    for (std::size_t server = 0; server < 3; ++server) {
      received += run.net(server, "rx_bytes", kLater);
      sectors += run.disk(server, "wr_sectors", kLater);
    }
    return 512 * sectors / received;
  };
  EXPECT_NEAR(share_written(false), 1, 0.1);
  EXPECT_LT(share_written(true), 0.25);
}

TEST(BufferedServers, IozonesSyncWaitsUntilItsDataIsOnTheDisk) {
  ClusterSpec cluster = buffered(2, 2, 50e6);
  cluster.experiment.file_bytes = std::int64_t{160} << 20;
  const RunMetrics run(cluster, writing(Workload::kIozoneWrite));
  double received = 0;
  double sectors = 0;
  for (std::size_t server = 0; server < 2; ++server) {
    received += run.net(server, "rx_bytes", kLater);
    sectors += run.disk(server, "wr_sectors", kLater);
  }
  EXPECT_NEAR(512 * sectors / received, 1, 0.15);
}

}  // namespace
}  // namespace laggard::lab
