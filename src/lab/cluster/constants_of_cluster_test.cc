#include "lab/cluster/constants_of_cluster.h"

#include <gtest/gtest.h>

#include <set>

namespace laggard::lab {
namespace {

TEST(ConstantsOfCluster, EveryNameChangesItsOwnNumberAndNoOther) {
  std::set<std::string_view> names;
  for (const auto& constant : named_cluster_constants()) {
    EXPECT_TRUE(names.insert(constant.name).second) << constant.name << " is there twice";
    const ClusterSpec defaults;
    EXPECT_GE(constant.get(defaults), constant.least) << constant.name;
    EXPECT_LE(constant.get(defaults), constant.most) << constant.name;
    ClusterSpec changed;
    const double other = constant.get(defaults) == constant.least ? constant.most : constant.least;
    constant.set(changed, other);
    for (const auto& any : named_cluster_constants()) {
      EXPECT_EQ(any.get(changed), any.name == constant.name ? other : any.get(defaults))
          << constant.name << " changes " << any.name;
    }
  }
}

TEST(ConstantsOfCluster, TimesAreMilliseconds) {
  ClusterSpec cluster;
  ASSERT_TRUE(set_cluster_constant(cluster, "switch.one-way = 0.05"));
  EXPECT_EQ(cluster.network.one_way, std::chrono::microseconds(50));
  EXPECT_NE(describe_cluster_constants(cluster).find("switch.one-way                 0.05  delay, ms"),
            std::string::npos)
      << describe_cluster_constants(cluster);
}

TEST(ConstantsOfCluster, SaysWhatIsWrong) {
  const auto message = [](const char* assignment) {
    ClusterSpec cluster;
    const Status status = set_cluster_constant(cluster, assignment);
    return status ? std::string() : status.error().message();
  };
  EXPECT_EQ(message("disk"), "--set: 'disk' is not NAME=NUMBER such as switch.buffer=262144");
  EXPECT_EQ(message("disk.size=1"), "--set: no constant is called 'disk.size'; --constants lists them");
  EXPECT_EQ(message("disk.spare=0.1"), "--set: disk.spare must lie between 0.3 and 0.9");
}

}  // namespace
}  // namespace laggard::lab
