#include "lab/cluster/pvfs_programs.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <vector>

#include "testing/property.h"
#include "testing/run_metrics.h"

namespace laggard::lab {
namespace {
TEST(PvfsStream, AnObjectHasItsServersStripes) {
  expect_property("object_bytes counts the bytes that a server is dealt", [] {
    const auto stripe = *rc::gen::inRange<std::int64_t>(1, 20);
    const auto servers = *rc::gen::inRange<std::uint32_t>(1, 7);
    const auto bytes = *rc::gen::inRange<std::int64_t>(0, 300);
    std::vector<std::int64_t> dealt(servers, 0);
    for (std::int64_t byte = 0; byte < bytes; ++byte) {
      ++dealt[static_cast<std::size_t>(byte / stripe) % servers];
    }
    for (std::uint32_t turn = 0; turn < servers; ++turn) {
      RC_ASSERT(object_bytes(bytes, stripe, servers, turn) == dealt[turn]);
    }
  });
}

TEST(PvfsStream, StripesLongerThanARecordAreWrittenAsWell) {
  ClusterSpec cluster = cluster_of(FileSystem::kPvfs);
  cluster.clients = 2;
  cluster.servers = 3;
  RunSpec spec;
  spec.workload = Workload::kDdWrite;
  const auto written = [&](std::int64_t stripe) {
    cluster.pvfs.stripe = stripe;
    const RunMetrics run(cluster, spec);
    double sectors = 0;
    for (std::size_t s = 0; s < 3; ++s) sectors += run.disk(s, "wr_sectors", RunMetrics::kBefore);
    return sectors;
  };
  // One server at a time instead of all three: slower, but it does not stand still.
  EXPECT_GT(written(3'000'000), 0.2 * written(64 << 10));
}

}  // namespace
}  // namespace laggard::lab
