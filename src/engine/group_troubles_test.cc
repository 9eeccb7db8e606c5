#include "engine/group_troubles.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "engine/impacts.h"
#include "testing/grouping.h"
#include "testing/restored.h"

namespace laggard::engine {
namespace {

constexpr detect::WindowSpec kWindows{std::chrono::seconds(1), 16, 8, 1, 3};
constexpr std::size_t kServers = 6;
constexpr std::int64_t kLast = 59;

WallTime window_start(std::int64_t window) { return from_unix_ns(8 * window * 1'000'000'000); }

/// Six servers with a disk, an interface and connections each; s4 to s6 are on a switch of their own.
class GroupTroublesTest : public testing::Test {
 protected:
  GroupTroublesTest() {
    testing_support::GroupingBuilder builder;
    builder.servers(kServers, 1, true);
    grouping_ = builder.get();
    for (std::size_t s = 1; s <= kServers; ++s) {
      const PartId link = *grouping_.parts.find(PartKind::kLink, "s" + std::to_string(s) + "/eth0");
      const PartId on = grouping_.parts.add({PartKind::kSwitch, s <= 3 ? "sw1" : "sw2"});
      grouping_.parts.connect(link, EdgeKind::kRoutesOver, on);
    }
    for (const PeerGroup& group : grouping_.groups) {
      auto& columns = columns_.emplace_back();
      if (group.kind == GroupKind::kDisks) {
        columns = {{find_metric("rd_sec")}, {find_metric("wr_sec")}, {find_metric("await")}};
      } else if (group.kind == GroupKind::kInterfaces) {
        columns = {{find_metric("rxbyt")}, {find_metric("txbyt")}};
      } else if (group.kind == GroupKind::kTcpFromClients) {
        columns = {{find_metric("rtt")}, {find_metric("waiters"), false}};
      } else {
        columns = {{find_metric("rtt")}};
      }
    }
  }

  /// What a server shows of a metric in a window.
  using Level = std::function<double(const MetricSpec&, std::size_t server, std::int64_t window)>;

  [[nodiscard]] GroupTroubles follow(const Level& level) {
    GroupTroubles troubles(grouping_, columns_, kWindows,
                           impacts_.emplace(grouping_, columns_, kWindows).moved());
    for (std::int64_t window = 0; window <= kLast; ++window) {
      for (std::size_t g = 0; g < grouping_.groups.size(); ++g) {
        detect::JudgedWindow judged;
        judged.group = g;
        judged.window.index = window;
        for (const auto& column : columns_[g]) {
          auto& levels = judged.window.levels.emplace_back();
          for (std::size_t s = 1; s <= kServers; ++s) levels.push_back(level(*column.metric, s, window));
        }
        impacts_->follow(judged);
        troubles.follow(judged);
      }
    }
    return troubles;
  }

  /// Steady work, all alike; two clients wait for s2, one for the others.
  static double healthy(const MetricSpec& metric, std::size_t server) {
    if (metric.name == "await") return 20;
    if (metric.name == "rtt") return 0.5;
    if (metric.name == "waiters") return server == 2 ? 2 : 1;
    return metric.kind == DeviceKind::kNet ? 1e6 : 1000;
  }

  [[nodiscard]] static std::vector<Camps> camps_of(const GroupTroubles& troubles) {
    return troubles.camps({}, window_start(kLast) + std::chrono::seconds(16));
  }

  static Incident incident(std::int64_t from, std::int64_t to, std::vector<std::string> components) {
    Incident incident;
    incident.since = window_start(from);
    incident.seen_until = window_start(to);
    incident.blame = {PartKind::kServer, "s3"};
    incident.components = std::move(components);
    return incident;
  }

  Grouping grouping_;
  std::vector<detect::PeerDetector::Columns> columns_;
  std::optional<Impacts> impacts_;
};

/// Everybody moves a third from window 30 to window 39.
double slowed(const MetricSpec& metric, std::int64_t window, double healthy) {
  return metric.kind == DeviceKind::kNet && window >= 30 && window < 40 ? healthy / 3 : healthy;
}

TEST_F(GroupTroublesTest, NothingOfAHealthyGroup) {
  const auto troubles = follow([](const MetricSpec& m, std::size_t s, auto) { return healthy(m, s); });
  EXPECT_TRUE(troubles.slowdowns({}).empty());
  EXPECT_TRUE(camps_of(troubles).empty());
}

TEST_F(GroupTroublesTest, AllSlowAndNobodyStandsOut) {
  const auto troubles =
      follow([](const MetricSpec& m, std::size_t s, std::int64_t w) { return slowed(m, w, healthy(m, s)); });
  const auto slow = troubles.slowdowns({});
  ASSERT_EQ(slow.size(), 1U);
  EXPECT_EQ(slow[0].group, to_name(GroupKind::kInterfaces));
  EXPECT_EQ(slow[0].members, kServers);
  EXPECT_EQ(slow[0].since, window_start(30));
  EXPECT_EQ(slow[0].until, window_start(39) + std::chrono::seconds(16));
  EXPECT_EQ(slow[0].before, 2e6) << "received and sent";
  EXPECT_NEAR(slow[0].during, 2e6 / 3, 1);
  EXPECT_EQ(slow[0].unit, "bytes/s");
}

TEST_F(GroupTroublesTest, NotWhenSomebodyStandsOutMeanwhile) {
  const auto troubles =
      follow([](const MetricSpec& m, std::size_t s, std::int64_t w) { return slowed(m, w, healthy(m, s)); });
  const std::array meanwhile{incident(29, 38, {"s3/d1"})};
  EXPECT_TRUE(troubles.slowdowns(meanwhile).empty()) << "s3's disk has an interface beside it";
  const std::array before{incident(3, 20, {"s3/d1"})};
  EXPECT_EQ(troubles.slowdowns(before).size(), 1U);
}

TEST_F(GroupTroublesTest, NotWhenClientsAskForLess) {
  const auto troubles = follow([](const MetricSpec& m, std::size_t s, std::int64_t w) {
    const bool less = w >= 30 && m.name == "waiters";
    return less ? healthy(m, s) / 4 : slowed(m, w, healthy(m, s));
  });
  EXPECT_TRUE(troubles.slowdowns({}).empty());
}

TEST_F(GroupTroublesTest, TwoCampsAndWhatTheyShare) {
  const auto troubles = follow([](const MetricSpec& m, std::size_t s, std::int64_t w) {
    return m.name == "await" && s > 3 && w >= 40 ? 150.0 : healthy(m, s);
  });
  const auto camps = camps_of(troubles);
  ASSERT_EQ(camps.size(), 1U);
  EXPECT_EQ(camps[0].group, to_name(GroupKind::kDisks));
  EXPECT_EQ(camps[0].metric, "await");
  EXPECT_EQ(camps[0].since, window_start(40));
  EXPECT_FALSE(camps[0].until) << "it goes on";
  EXPECT_EQ(camps[0].higher.members, (std::vector<std::string>{"s4/d1", "s5/d1", "s6/d1"}));
  EXPECT_EQ(camps[0].higher.level, 150);
  EXPECT_EQ(camps[0].lower.level, 20);
  EXPECT_EQ(camps[0].higher.share, (std::vector<Part>{{PartKind::kSwitch, "sw2"}}));
  EXPECT_EQ(camps[0].lower.share, (std::vector<Part>{{PartKind::kSwitch, "sw1"}}));
}

TEST_F(GroupTroublesTest, WhoHasNothingToDoIsNoCamp) {
  const auto troubles = follow([](const MetricSpec& m, std::size_t s, auto) {
    const bool busy = s > 3 && (m.name == "await" || m.name == "rd_sec" || m.name == "wr_sec");
    return busy ? 50 * healthy(m, s) : healthy(m, s);
  });
  EXPECT_TRUE(camps_of(troubles).empty()) << "the others are hardly asked";
}

TEST_F(GroupTroublesTest, NoCampsOfWhomAnIncidentIsAbout) {
  const auto troubles = follow([](const MetricSpec& m, std::size_t s, auto) {
    return m.name == "rtt" && s % 2 == 0 ? 40.0 : healthy(m, s);
  });
  EXPECT_EQ(camps_of(troubles).size(), 2U) << "both ends of connections";
  EXPECT_TRUE(camps_of(troubles).front().higher.share.empty()) << "they are on both switches";
  const std::array known{incident(0, 50, {"s2/tcp-in"})};
  EXPECT_TRUE(troubles.camps(known, window_start(kLast)).empty());
}

TEST_F(GroupTroublesTest, IsRestored) {
  const auto troubles = follow([](const MetricSpec& m, std::size_t s, std::int64_t w) {
    return m.name == "rtt" && s % 2 == 0 ? 40.0 : slowed(m, w, healthy(m, s));
  });
  GroupTroubles again(grouping_, columns_, kWindows, impacts_->moved());
  expect_restores(troubles, again);
  EXPECT_EQ(again.slowdowns({}).size(), 1U);
  EXPECT_EQ(camps_of(again).size(), 2U);
}

}  // namespace
}  // namespace laggard::engine
