#include "engine/impacts.h"

#include <gtest/gtest.h>

#include "testing/grouping.h"

namespace laggard::engine {
namespace {

constexpr detect::WindowSpec kWindows{std::chrono::seconds(1), 16, 8, 1, 3};
constexpr std::int64_t kFallen = 40;  ///< The window from which on everybody moves less.

/// Three servers with a disk, an interface and connections each. Disks move a fifth less from a window on,
/// interfaces 60 % less.
class ImpactsTest : public testing::Test {
 protected:
  ImpactsTest() {
    testing_support::GroupingBuilder builder;
    builder.servers(3, 1, true);
    grouping_ = builder.get();
    for (const PeerGroup& group : grouping_.groups) {
      auto& columns = columns_.emplace_back();
      if (group.kind == GroupKind::kDisks) columns = {{find_metric("rd_sec")}, {find_metric("wr_sec")}};
      if (group.kind == GroupKind::kInterfaces) columns = {{find_metric("rxbyt")}, {find_metric("txbyt")}};
      if (columns.empty()) columns = {{find_metric("rtt")}};
    }
  }

  Impacts follow() {
    Impacts impacts(grouping_, columns_, kWindows);
    for (std::int64_t index = 0; index < 80; ++index) {
      for (std::size_t g = 0; g < grouping_.groups.size(); ++g) {
        const bool fallen = index >= kFallen;
        const bool disks = grouping_.groups[g].kind == GroupKind::kDisks;
        const double each = disks ? (fallen ? 800 : 1000) : (fallen ? 4e5 : 1e6);
        detect::JudgedWindow judged;
        judged.group = g;
        judged.window.index = index;
        judged.window.levels.assign(columns_[g].size(), std::vector<double>(3, each));
        impacts.follow(judged);
      }
    }
    return impacts;
  }

  static Incident incident(std::int64_t from, std::int64_t to, std::vector<std::string> components) {
    Incident incident;
    incident.since = from_unix_ns(8 * from * 1'000'000'000);
    incident.seen_until = from_unix_ns((8 * to + 16) * 1'000'000'000);
    incident.components = std::move(components);
    return incident;
  }

  Grouping grouping_;
  std::vector<detect::PeerDetector::Columns> columns_;
};

TEST_F(ImpactsTest, IsTheFallOfTheGroupThatFellMostOnTheFaultyHosts) {
  const auto impact = follow().of(incident(kFallen, 60, {"s2/tcp-out"}));
  ASSERT_TRUE(impact);
  EXPECT_EQ(impact->group, to_name(GroupKind::kInterfaces));
  EXPECT_EQ(impact->before, 2e6) << "received and sent";
  EXPECT_EQ(impact->during, 8e5);
  EXPECT_EQ(impact->unit, "bytes/s");
}

TEST_F(ImpactsTest, NothingWhereNobodyFell) {
  EXPECT_FALSE(follow().of(incident(20, 30, {"s2/d1"})));
  EXPECT_FALSE(follow().of(incident(60, 70, {"s2/d1"}))) << "it had fallen before";
}

TEST_F(ImpactsTest, NothingOfWhoIsNoComponent) {
  EXPECT_FALSE(follow().of(incident(kFallen, 60, {"process dd"})));
  EXPECT_FALSE(follow().of(incident(kFallen, 60, {})));
}

TEST_F(ImpactsTest, ALongIncidentIsToldByItsBeginning) {
  const auto impact = follow().of(incident(kFallen, 1'000'000, {"s1/eth0"}));
  ASSERT_TRUE(impact);
  EXPECT_EQ(impact->during, 8e5);
}

}  // namespace
}  // namespace laggard::engine
