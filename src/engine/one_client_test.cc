#include "engine/one_client.h"

#include <gtest/gtest.h>

#include "testing/topology.h"
#include "topology/groups.h"

namespace laggard::engine {
namespace {

SampleTable connections(const std::string& host, const std::vector<std::string>& sockets) {
  SampleTable table(host, DeviceKind::kTcp, {{"snd_cwnd", CounterForm::kGauge}, {"segs_out"}}, sockets,
                    {from_unix_ns(0)});
  for (std::size_t d = 0; d < sockets.size(); ++d) {
    table.set(0, d, 0, 10 + d);
    table.set(1, d, 0, 0);
  }
  return table;
}

const std::string kServer = "10.77.0.3:24007";

TEST(OneClient, IsTheMiddleOneSeenFromBothEnds) {
  const Grouping grouping =
      topology::make_groups(topology::testing_support::gluster_inventory(), nullptr).value();
  const OneClient one(grouping);
  EXPECT_EQ(one.client(), "c2");
  const auto own =
      one.narrowed(connections("c2", {"10.77.0.102:49149>" + kServer, "10.77.0.102:49148>" + kServer}));
  ASSERT_TRUE(own.has_value());
  EXPECT_EQ(own->devices().size(), 2U);
  EXPECT_EQ(own->integer(0, 1, 0), 11U);
  const auto server =
      one.narrowed(connections("s3", {kServer + ">10.77.0.101:49149", kServer + ">10.77.0.102:49149"}));
  ASSERT_TRUE(server.has_value());
  EXPECT_EQ(server->devices(), std::vector<std::string>{kServer + ">10.77.0.102:49149"});
  EXPECT_EQ(server->integer(0, 0, 0), 11U);
  EXPECT_FALSE(one.narrowed(connections("c1", {"10.77.0.101:49149>" + kServer})).has_value());
}

TEST(OneClient, OnlyWindowsAreKnownSoThatIdleConnectionsCount) {
  const Grouping grouping =
      topology::make_groups(topology::testing_support::gluster_inventory(), nullptr).value();
  const auto seen = OneClient(grouping).narrowed(connections("c2", {"10.77.0.102:49149>" + kServer}));
  ASSERT_TRUE(seen.has_value());
  ASSERT_EQ(seen->counters().size(), 1U);
  EXPECT_EQ(seen->counters()[0].name, "snd_cwnd");
  const SampleTable others("c2", DeviceKind::kTcp, {{"retrans"}}, {"10.77.0.102:49149>" + kServer},
                           {from_unix_ns(0)});
  EXPECT_FALSE(OneClient(grouping).narrowed(others).has_value()) << "no windows";
}

TEST(OneClient, WithoutClientsAllConnectionsAreSeen) {
  const Grouping nobody;
  const OneClient one(nobody);
  EXPECT_EQ(one.client(), "");
  EXPECT_TRUE(one.narrowed(connections("c1", {"10.77.0.101:49149>" + kServer})).has_value());
}

}  // namespace
}  // namespace laggard::engine
