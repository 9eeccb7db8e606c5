// What a server's journal that writes wait for does to its peers. F finds it in Lustre 6/12 (Table 5): half
// of the busy disks are taken for hogs, by "minor, secondary manifestations in storage throughput".

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "testing/run_metrics.h"

namespace laggard::lab {
namespace {

constexpr std::size_t kSick = 1;

RunMetrics run_with(bool sync_journal) {
  ClusterSpec cluster = cluster_of(FileSystem::kLustre);
  cluster.clients = 6;
  cluster.servers = 12;
  cluster.lustre.sync_journal = sync_journal;
  RunSpec run;
  run.workload = Workload::kDdWrite;
  run.fault = FaultKind::kDiskBusy;
  run.faulty_server = kSick;
  run.duration = std::chrono::seconds(450);
  return RunMetrics(cluster, run);
}

double written(const RunMetrics& run, std::size_t server) {
  return run.disk(server, "wr_sectors", RunMetrics::kDuring);
}

/// Standard deviation of what a server writes in five seconds, relative to the mean.
double spread(const RunMetrics& run, std::size_t server) {
  const double mean = written(run, server);
  double squares = 0;
  std::size_t count = 0;
  for (std::size_t at = RunMetrics::kDuring.from; at + 5 <= RunMetrics::kDuring.to; ++at, ++count) {
    const double less = run.disk(server, "wr_sectors", {at, at + 5}) - mean;
    squares += less * less;
  }
  return std::sqrt(squares / static_cast<double>(count)) / mean;
}

TEST(JournaledServers, HealthyOnesWriteInBurstsBesideABusyDiskAndAsMuchAsItDoes) {
  const RunMetrics run = run_with(true);
  for (std::size_t server = 0; server < 12; ++server) {
    if (server == kSick) continue;
    EXPECT_NEAR(written(run, server), written(run, kSick), 0.02 * written(run, kSick));
    EXPECT_GT(spread(run, server), 3 * spread(run, kSick));
  }
}

TEST(JournaledServers, WithoutWaitingForItAllWriteEvenly) {
  const RunMetrics run = run_with(false);
  for (std::size_t server = 0; server < 12; ++server) {
    EXPECT_LT(spread(run, server), 1.5 * spread(run, kSick));
  }
}

}  // namespace
}  // namespace laggard::lab
