#include "lab/cluster/scenario.h"

#include <gtest/gtest.h>

#include <string>

#include "testing/named_number.h"

namespace laggard::lab {
namespace {

TEST(ClusterParameters, EveryNameChangesItsOwnNumberAndNoOther) {
  expect_each_sets_its_own(cluster_parameters());
}

TEST(ClusterParameters, TimesAreMilliseconds) {
  ClusterSpec cluster;
  ASSERT_TRUE(set_cluster_parameter(cluster, "switch.one-way = 0.05"));
  EXPECT_EQ(cluster.network.one_way, std::chrono::microseconds(50));
  EXPECT_NE(describe_cluster_parameters(cluster).find("switch.one-way                 0.05  delay, ms"),
            std::string::npos)
      << describe_cluster_parameters(cluster);
}

TEST(ClusterParameters, SaysWhatIsWrong) {
  const auto message = [](const char* assignment) {
    ClusterSpec cluster;
    const Status status = set_cluster_parameter(cluster, assignment);
    return status ? std::string() : status.error().message();
  };
  EXPECT_EQ(message("disk"), "--set: 'disk' is not NAME=NUMBER such as switch.buffer=262144");
  EXPECT_EQ(message("disk.size=1"), "--set: no parameter is called 'disk.size'; --parameters lists them");
  EXPECT_EQ(message("disk.spare=0.1"), "--set: disk.spare must lie between 0.3 and 0.9");
}

}  // namespace
}  // namespace laggard::lab
