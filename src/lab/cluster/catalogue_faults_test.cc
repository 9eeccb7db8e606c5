// Faults of the catalogue on a small simulated cluster: each shows in the counters as it does on a real one.

#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "lab/cluster/truth.h"
#include "testing/run_metrics.h"

namespace laggard::lab {
namespace {

constexpr std::size_t kSick = 2;
constexpr RunMetrics::Span kBefore{40, 74};
constexpr RunMetrics::Span kDuring{80, 165};

ClusterSpec small_cluster() {
  ClusterSpec cluster = cluster_of(FileSystem::kPvfs);
  cluster.clients = 5;
  cluster.servers = 6;
  return cluster;
}

RunSpec spec_of(std::string_view fault, Workload workload, Strength strength) {
  RunSpec spec;
  spec.workload = workload;
  spec.fault = *simulated_fault_of(fault);
  spec.strength = strength;
  spec.faulty_server = kSick;
  spec.duration = std::chrono::seconds(160);
  spec.fault_from = std::chrono::seconds(60);
  spec.fault_to = std::chrono::seconds(155);
  return spec;
}

RunMetrics strong_run(std::string_view fault, Workload workload) {
  return {small_cluster(), spec_of(fault, workload, Strength::kStrong)};
}

double again(const RunMetrics& run, std::size_t server) {
  return run.rate(server_name(server), DeviceKind::kTcp, "retrans", kDuring);
}

double round_trip(const RunMetrics& run, std::size_t server) {
  return run.mean_of(server_name(server), DeviceKind::kTcp, "rtt_us", kDuring);
}

/// Of what a server sends, how much is left.
double sent_still(const RunMetrics& run, std::size_t server) {
  return run.net(server, "tx_bytes", kDuring) / run.net(server, "tx_bytes", kBefore);
}

TEST(Catalogue, OneSlowCableSlowsAllServersAlike) {
  // Striped and closed: who is sick does not show in how much is moved.
  const RunMetrics run = strong_run("link-rate", Workload::kDdRead);
  const auto sent = [&](std::size_t s) { return run.net(s, "tx_bytes", kDuring); };
  EXPECT_NEAR(sent(kSick) / run.median_of_others(kSick, sent), 1, 0.1);
  EXPECT_LT(sent(kSick), 0.3 * run.net(kSick, "tx_bytes", kBefore));
}

TEST(Catalogue, ASlowDiskIsSlow) {
  const RunMetrics run = strong_run("disk-slow", Workload::kDdRead);
  const auto await = [&](std::size_t s) { return run.await(s, kDuring); };
  EXPECT_GT(await(kSick), 3 * run.median_of_others(kSick, await));
}

TEST(Catalogue, CorruptedPacketsAreSentAgainBothWays) {
  const RunMetrics run = strong_run("link-corrupt", Workload::kMixed);
  EXPECT_GT(again(run, kSick), 1);
  EXPECT_LT(run.median_of_others(kSick, [&](std::size_t s) { return again(run, s); }),
            0.1 * again(run, kSick));
}

TEST(Catalogue, CopiesArriveMoreOftenThanTheyAreSent) {
  const RunMetrics run = strong_run("link-duplicate", Workload::kDdWrite);
  const auto received = [&](std::size_t s) { return run.net(s, "rx_packets", kDuring); };
  EXPECT_NEAR(received(kSick) / run.median_of_others(kSick, received), 2, 0.3);
}

TEST(Catalogue, SmallPacketsAreMany) {
  const RunMetrics run = strong_run("link-mtu", Workload::kDdRead);
  const auto size = [&](std::size_t s) {
    return run.net(s, "tx_bytes", kDuring) / run.net(s, "tx_packets", kDuring);
  };
  EXPECT_LT(size(kSick), 200);
  EXPECT_GT(run.median_of_others(kSick, size), 1000);
}

TEST(Catalogue, JitterShowsInRoundTrips) {
  const RunMetrics run = strong_run("link-jitter", Workload::kDdRead);
  EXPECT_GT(round_trip(run, kSick), 4 * round_trip(run, 0));
}

TEST(Catalogue, APortThatIsDownNowAndThenStopsEverybody) {
  const RunMetrics run = strong_run("link-flap", Workload::kDdRead);
  EXPECT_LT(sent_still(run, 0), 0.9);
  // While it is down only the timeouts of its connections send, one packet each.
  const auto& sent = run.table(server_name(kSick), DeviceKind::kNet);
  const std::size_t packets = *sent.counter_index("tx_packets");
  std::size_t silent = 0;
  for (std::size_t t = kDuring.from; t < kDuring.to; ++t) {
    if (*sent.integer(packets, 0, t + 1) - *sent.integer(packets, 0, t) < 50) ++silent;
  }
  EXPECT_GE(silent, 12);
}

TEST(Catalogue, ASlowUplinkSlowsTheServersBehindItAndAllThatAreStripedWithThem) {
  const RunMetrics run = strong_run("switch-rate", Workload::kDdRead);
  const std::vector<std::size_t> behind = second_switch(small_cluster());
  ASSERT_EQ(behind, (std::vector<std::size_t>{4, 5}));
  for (const std::size_t s : behind) EXPECT_GT(round_trip(run, s), 3 * round_trip(run, 0)) << s;
  EXPECT_LT(sent_still(run, 0), 0.5);
}

TEST(Catalogue, ALossySwitchStrikesItsServersOnly) {
  const RunMetrics run = strong_run("switch-loss", Workload::kDdRead);
  for (const std::size_t s : {4U, 5U}) EXPECT_GT(again(run, s), 1) << s;
  for (std::size_t s = 0; s < 4; ++s) EXPECT_LT(again(run, s), 1) << s;
}

TEST(Catalogue, ADaemonShowsWhatItWaitsFor) {
  const auto share = [&](const RunMetrics& run, std::size_t s, std::string_view counter,
                         RunMetrics::Span span) {
    return run.rate(server_name(s), DeviceKind::kDaemon, counter, span) / 1e6;
  };
  const RunMetrics quota = strong_run("cpu-quota", Workload::kDdRead);
  EXPECT_GT(share(quota, kSick, "throttled_us", kDuring), 0.5);
  EXPECT_EQ(share(quota, kSick, "throttled_us", kBefore), 0);
  EXPECT_EQ(share(quota, 0, "throttled_us", kDuring), 0);
  EXPECT_LT(sent_still(quota, 0), 0.5);
  const RunMetrics neighbour = strong_run("cpu-neighbour", Workload::kDdRead);
  EXPECT_GT(share(neighbour, kSick, "run_wait_us", kDuring), 0.5);
  EXPECT_EQ(share(neighbour, kSick, "throttled_us", kDuring), 0);
}

TEST(Catalogue, AStoppedDaemonStopsEverybody) {
  const RunMetrics run = strong_run("daemon-stop", Workload::kDdRead);
  EXPECT_NEAR(run.mean_of(server_name(kSick), DeviceKind::kDaemon, "stopped", kDuring), 0.5, 0.1);
  EXPECT_EQ(run.mean_of(server_name(0), DeviceKind::kDaemon, "stopped", kDuring), 0);
  EXPECT_LT(sent_still(run, 0), 0.7);
}

TEST(Catalogue, RequestsOfASickDiskTakeLonger) {
  for (const char* fault : {"disk-retry", "disk-region"}) {
    const RunMetrics run = strong_run(fault, Workload::kDdRead);
    const auto await = [&](std::size_t s) { return run.await(s, kDuring); };
    EXPECT_GT(await(kSick), 1.5 * run.median_of_others(kSick, await)) << fault;
  }
}

TEST(Catalogue, ALogIsWrittenBesideWhatClientsWrite) {
  const RunMetrics run = strong_run("verbose-log", Workload::kDdWrite);
  const auto written = [&](std::size_t s) { return run.disk(s, "wr_sectors", kDuring); };
  EXPECT_GT(written(kSick), 1.5 * run.median_of_others(kSick, written));
}

TEST(Catalogue, AClientsFaultIsItsOwn) {
  const RunMetrics slow = strong_run("slow-client", Workload::kDdRead);
  const auto received = [&](std::size_t c) {
    return slow.rate(client_name(c), DeviceKind::kNet, "rx_bytes", kDuring);
  };
  EXPECT_LT(received(kSick), 0.2 * received(0));
}

TEST(Catalogue, ANeighboursJobAsksForMetadataAndEndsWithTheFault) {
  RunSpec spec = spec_of("metadata-neighbour", Workload::kIdle, Strength::kStrong);
  spec.fault_to = std::chrono::seconds(120);
  const RunMetrics run(small_cluster(), spec);
  const auto sent = [&](std::size_t c, RunMetrics::Span span) {
    return run.rate(client_name(c), DeviceKind::kNet, "tx_packets", span);
  };
  EXPECT_GT(sent(kSick, kDuring), 100);
  EXPECT_EQ(sent(0, kDuring), 0);
  EXPECT_EQ(sent(kSick, {150, 170}), 0);
}

TEST(Catalogue, EverySimulatedFaultIsMade) {
  ClusterSpec cluster = cluster_of(FileSystem::kLustre);
  cluster.clients = 2;
  cluster.servers = 4;
  for (const std::string& name : simulated_fault_names()) {
    RunSpec spec;
    spec.workload = Workload::kMixed;
    spec.fault = *simulated_fault_of(name);
    spec.duration = std::chrono::seconds(20);
    spec.fault_from = std::chrono::seconds(5);
    spec.fault_to = std::chrono::seconds(15);
    spec.faulty_server = 3;
    const RunMetrics run(cluster, spec);
    EXPECT_GT(run.bytes_done[1], 0) << name;
    EXPECT_EQ(truth_of(cluster, spec).sick(), name != "none");
  }
}

TEST(Catalogue, AMildHogReadsLessThanAStrongOne) {
  const auto read = [&](Strength strength) {
    const RunSpec spec = spec_of("disk-hog", Workload::kIdle, strength);
    return RunMetrics(small_cluster(), spec).disk(kSick, "rd_sectors", kDuring);
  };
  const double strong = read(Strength::kStrong);
  EXPECT_NEAR(read(Strength::kMedium) / strong, 0.5, 0.1);
  EXPECT_NEAR(read(Strength::kMild) / strong, 0.25, 0.1);
}

}  // namespace
}  // namespace laggard::lab
