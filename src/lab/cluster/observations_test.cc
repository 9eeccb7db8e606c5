// The observations of F §6.1 and the confounders of F §12, each measured on a simulated cluster: nothing in
// the simulation knows of them, so each of these tests says that the physics produces it.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "testing/run_metrics.h"

namespace laggard::lab {
namespace {

constexpr std::size_t kSick = 2;

/// Runs are shared between tests: each takes a second or two.
const RunMetrics& run_of(Workload workload, FaultKind fault, FileSystem file_system = FileSystem::kPvfs,
                         std::size_t clients = 10, std::size_t servers = 10) {
  using Key = std::tuple<Workload, FaultKind, FileSystem, std::size_t, std::size_t>;
  static std::map<Key, std::unique_ptr<RunMetrics>> runs;
  auto& run = runs[{workload, fault, file_system, clients, servers}];
  if (!run) {
    ClusterSpec cluster = cluster_of(file_system);
    cluster.clients = clients;
    cluster.servers = servers;
    RunSpec spec;
    spec.workload = workload;
    spec.fault = fault;
    spec.faulty_server = kSick;
    run = std::make_unique<RunMetrics>(cluster, spec);
  }
  return *run;
}

constexpr auto kBefore = RunMetrics::kBefore;
constexpr auto kDuring = RunMetrics::kDuring;

double spread(const RunMetrics& run, std::string_view counter, RunMetrics::Span span) {
  const auto values = run.others(kSick, [&](std::size_t s) { return run.disk(s, counter, span); });
  return values.back() / values.front();
}

TEST(Observation1, HealthyServersTrackEachOther) {
  for (const FileSystem file_system : {FileSystem::kPvfs, FileSystem::kLustre}) {
    const RunMetrics& run = run_of(Workload::kDdRead, FaultKind::kNone, file_system);
    EXPECT_LT(spread(run, "rd_sectors", kBefore), 1.05);
  }
  const RunMetrics& run = run_of(Workload::kDdRead, FaultKind::kNone);
  const auto waits = run.others(kSick, [&](std::size_t s) { return run.await(s, kBefore); });
  EXPECT_LT(waits[waits.size() - 2] / waits.front(), 1.5);
  // One disk is the slowest, and everybody waits for it a little longer (T §6.1.1).
  EXPECT_LT(waits.back() / waits[waits.size() / 2], 1.5);
}

TEST(Workloads, TenClientsTakeTenMinutesForFsTransactions) {
  // F §8.1 chose 16,000 transactions for PVFS and 53,000 for Lustre so that a run takes some 600 s.
  const std::pair<FileSystem, double> expected[] = {{FileSystem::kPvfs, 16'000},
                                                    {FileSystem::kLustre, 53'000}};
  for (const auto& [file_system, transactions] : expected) {
    const RunMetrics& run = run_of(Workload::kPostmark, FaultKind::kNone, file_system);
    for (const double done : run.operations_done) {
      EXPECT_GT(done, 0.9 * transactions);
      EXPECT_LT(done, 1.1 * transactions);
    }
  }
}

TEST(Observation2, HealthyServersAllLoseTheThroughputThatTheSickOneLoses) {
  const RunMetrics& run = run_of(Workload::kDdRead, FaultKind::kDiskBusy);
  const auto left = run.others(kSick, [&](std::size_t s) {
    return run.disk(s, "rd_sectors", kDuring) / run.disk(s, "rd_sectors", kBefore);
  });
  EXPECT_LT(left.back(), 0.6);
  EXPECT_LT(left.back() - left.front(), 0.03);
}

TEST(Observation3, HealthyServersServeNoSlowerDuringAFault) {
  for (const FaultKind fault : {FaultKind::kDiskBusy, FaultKind::kDiskHog}) {
    const RunMetrics& run = run_of(Workload::kDdRead, fault);
    const auto await = [&](RunMetrics::Span span) {
      return run.median_of_others(kSick, [&](std::size_t s) { return run.await(s, span); });
    };
    EXPECT_LT(await(kDuring), 1.1 * await(kBefore));
  }
}

TEST(Observation4, HogsRaiseTheSickServersThroughputAndLowerTheOthers) {
  const RunMetrics& disk = run_of(Workload::kDdWrite, FaultKind::kDiskHog);
  const auto sectors = [&](std::size_t s, RunMetrics::Span span) {
    return disk.disk(s, "rd_sectors", span) + disk.disk(s, "wr_sectors", span);
  };
  EXPECT_GT(sectors(kSick, kDuring), sectors(kSick, kBefore));
  EXPECT_LT(disk.median_of_others(kSick, [&](std::size_t s) { return sectors(s, kDuring); }),
            0.95 * disk.median_of_others(kSick, [&](std::size_t s) { return sectors(s, kBefore); }));
  const RunMetrics& network = run_of(Workload::kDdWrite, FaultKind::kWriteNetworkHog);
  const auto received = [&](std::size_t s, RunMetrics::Span span) {
    return network.net(s, "rx_bytes", span);
  };
  EXPECT_GT(received(kSick, kDuring), 1.5 * received(kSick, kBefore));
  EXPECT_LT(network.median_of_others(kSick, [&](std::size_t s) { return received(s, kDuring); }),
            network.median_of_others(kSick, [&](std::size_t s) { return received(s, kBefore); }));
}

TEST(Observation5, BusyDisksAndLossLowerThroughputEverywhereAlike) {
  const RunMetrics& busy = run_of(Workload::kDdRead, FaultKind::kDiskBusy);
  const double others =
      busy.median_of_others(kSick, [&](std::size_t s) { return busy.disk(s, "rd_sectors", kDuring); });
  EXPECT_NEAR(busy.disk(kSick, "rd_sectors", kDuring) / others, 1, 0.05);
  const RunMetrics& loss = run_of(Workload::kDdWrite, FaultKind::kReceiveLoss);
  const auto received = [&](std::size_t s) { return loss.net(s, "rx_bytes", kDuring); };
  // What was lost is sent, and received, again: one packet in twenty.
  EXPECT_NEAR(received(kSick) / loss.median_of_others(kSick, received), 1.05, 0.03);
  EXPECT_LT(received(0), 0.95 * loss.net(0, "rx_bytes", kBefore));
}

TEST(Observation6, DiskFaultsRaiseTheSickServersLatencyAndIdleTheOthers) {
  for (const auto& [workload, fault] : {std::pair(Workload::kDdRead, FaultKind::kDiskBusy),
                                        std::pair(Workload::kDdWrite, FaultKind::kDiskHog)}) {
    const RunMetrics& run = run_of(workload, fault);
    EXPECT_GT(run.await(kSick, kDuring), 2 * run.await(kSick, kBefore));
    EXPECT_LT(run.median_of_others(kSick, [&](std::size_t s) { return run.utilisation(s, kDuring); }),
              run.median_of_others(kSick, [&](std::size_t s) { return run.utilisation(s, kBefore); }));
  }
}

TEST(Observation7, LossHoldsTheCongestionWindowAtSingleDigits) {
  const RunMetrics& writes = run_of(Workload::kDdWrite, FaultKind::kReceiveLoss);
  EXPECT_LT(writes.mean_client_cwnd(kSick, kDuring), 9);
  EXPECT_GT(
      writes.median_of_others(kSick, [&](std::size_t s) { return writes.mean_client_cwnd(s, kDuring); }), 20);
  const RunMetrics& reads = run_of(Workload::kDdRead, FaultKind::kSendLoss);
  EXPECT_LT(reads.mean_server_cwnd(kSick, kDuring), 9);
  EXPECT_GT(reads.median_of_others(kSick, [&](std::size_t s) { return reads.mean_server_cwnd(s, kDuring); }),
            15);
}

TEST(Confounder, BusyDisksLeaveTheSickServersWindowTheLargest) {
  // F §12: the sick server answers last and alone, without congestion.
  const RunMetrics& run = run_of(Workload::kDdRead, FaultKind::kDiskBusy);
  const auto windows = run.others(kSick, [&](std::size_t s) { return run.mean_server_cwnd(s, kDuring); });
  EXPECT_GT(run.mean_server_cwnd(kSick, kDuring), 1.15 * windows.back());
}

TEST(Confounder, SaturatedDisksDifferInLatencyWithoutAFault) {
  // Read-ahead keeps every disk busy; the slowest by a per cent gathers the queue.
  const RunMetrics& run = run_of(Workload::kDdRead, FaultKind::kNone, FileSystem::kLustre);
  EXPECT_GT(run.median_of_others(kSick, [&](std::size_t s) { return run.utilisation(s, kBefore); }), 85);
  const auto waits = run.others(kSick, [&](std::size_t s) { return run.await(s, kBefore); });
  EXPECT_GT(waits.back() / waits.front(), 1.5);
}

TEST(Confounder, NamesOfTheRootAreOnOneServer) {
  // Clients that cache no names: F §12 has the server of "/" in nearly all look-ups.
  ClusterSpec cluster;
  cluster.pvfs.root_lookups = 1;
  RunSpec spec;
  spec.workload = Workload::kPostmark;
  const RunMetrics run(cluster, spec);
  std::vector<double> packets;
  for (std::size_t s = 0; s < 10; ++s) packets.push_back(run.net(s, "rx_packets", kBefore));
  std::sort(packets.begin(), packets.end());
  EXPECT_GT(packets[9], 1.2 * packets[8]);
}

TEST(Confounder, TheServerOfTheRootStandsOutThroughAllRuns) {
  // A client that caches names asks for the root seldom, but from one server always.
  std::vector<double> packets(10, 0);
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    RunSpec spec;
    spec.workload = Workload::kPostmark;
    spec.seed = seed;
    const RunMetrics run(cluster_of(FileSystem::kPvfs), spec);
    for (std::size_t s = 0; s < packets.size(); ++s) packets[s] += run.net(s, "rx_packets", kBefore);
  }
  std::sort(packets.begin(), packets.end());
  EXPECT_GT(packets[9], 1.1 * packets[8]);
}

struct Half {
  std::size_t begin = 0;
  double ratio = 0;
};

/// The busiest of the runs of servers that follow each other and are half of all, against the other half.
template <typename Metric>
Half busiest_half(std::size_t servers, Metric metric) {
  Half best;
  for (std::size_t begin = 0; begin < servers; ++begin) {
    double inside = 0;
    double outside = 0;
    for (std::size_t s = 0; s < servers; ++s) {
      ((s + servers - begin) % servers < servers / 2 ? inside : outside) += metric(s);
    }
    if (inside / outside > best.ratio) best = {begin, inside / outside};
  }
  return best;
}

TEST(Confounder, AsManyDirectoriesAsServersAreBalanced) {
  // Each of ten servers has one.
  const RunMetrics& run = run_of(Workload::kPostmark, FaultKind::kNone);
  EXPECT_LT(busiest_half(10, [&](std::size_t s) { return run.disk(s, "wr_sectors", kBefore); }).ratio, 1.05);
  EXPECT_LT(busiest_half(10, [&](std::size_t s) { return run.net(s, "rx_bytes", kBefore); }).ratio, 1.05);
}

TEST(Confounder, WithTwiceAsManyServersAsDirectoriesHalfOfThemHaveNone) {
  // Six directories on twelve servers: a run of six servers that each have one does more than the other six,
  // so that every server differs from about half of its peers without any fault (F §11: 6/12 masks network
  // hogs, §12: unbalanced look-ups).
  constexpr std::size_t kServers = 12;
  const RunMetrics& run = run_of(Workload::kPostmark, FaultKind::kNone, FileSystem::kPvfs, 6, kServers);
  const Half written =
      busiest_half(kServers, [&](std::size_t s) { return run.disk(s, "wr_sectors", kBefore); });
  const Half received =
      busiest_half(kServers, [&](std::size_t s) { return run.net(s, "rx_bytes", kBefore); });
  const Half sent = busiest_half(kServers, [&](std::size_t s) { return run.net(s, "tx_bytes", kBefore); });
  EXPECT_GT(written.ratio, 1.1);
  EXPECT_GT(received.ratio, 1.15);
  EXPECT_GT(sent.ratio, 1.15);
  EXPECT_EQ(received.begin, written.begin);
  EXPECT_EQ(sent.begin, written.begin);
}

TEST(Confounder, AcknowledgementsOfAHogAreBuriedInLargeReads) {
  // The write hog's ACKs leave the server among the data that clients read.
  const RunMetrics& run = run_of(Workload::kDdRead, FaultKind::kWriteNetworkHog);
  const auto sent = [&](std::string_view counter) {
    return run.net(kSick, counter, kDuring) /
           run.median_of_others(kSick, [&](std::size_t s) { return run.net(s, counter, kDuring); });
  };
  EXPECT_LT(sent("tx_bytes"), 1.25);
  EXPECT_GT(sent("tx_packets"), 1.5);
}

TEST(Confounder, LossDoublesAcknowledgements) {
  // F §12: with holes in what came, every packet is acknowledged at once: the sick server sends more than its
  // peers.
  const RunMetrics& run = run_of(Workload::kDdWrite, FaultKind::kReceiveLoss);
  const auto sent = [&](std::size_t s) { return run.net(s, "tx_packets", kDuring); };
  EXPECT_GT(sent(kSick), 1.5 * run.median_of_others(kSick, sent));
}

TEST(Confounder, OneWritersWindowsAreSteadyAndManyWritersAreNot) {
  const RunMetrics& one = run_of(Workload::kDdWrite, FaultKind::kNone, FileSystem::kPvfs, 1, 10);
  const RunMetrics& many = run_of(Workload::kDdWrite, FaultKind::kNone);
  const auto unrest = [](const RunMetrics& run) {
    const auto windows = run.client_cwnd(0, 0, kBefore);
    return RunMetrics::deviation(windows) / RunMetrics::mean(windows);
  };
  EXPECT_LT(unrest(one), 0.1);
  EXPECT_GT(unrest(many), 2 * unrest(one));
}

}  // namespace
}  // namespace laggard::lab
