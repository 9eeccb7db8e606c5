#include "derive/metric_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "base/missing.h"
#include "testing/property.h"
#include "testing/samples.h"

namespace laggard::derive {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsNan;
using testing_support::Sample;
using testing_support::samples_of;
using testing_support::second;

constexpr Duration kSecond = std::chrono::seconds(1);

/// Hosts h0, h1, … are the members in that order; every device of theirs is routed to them, in all groups of
/// its kind.
class StreamTest : public testing::Test {
 protected:
  struct Group {
    const char* metric;
    std::vector<std::string> hosts;
    PacketSide side = PacketSide::kSent;
  };

  MetricStream make(const std::vector<Group>& groups, Duration step = kSecond, Duration interval = kSecond) {
    std::vector<TrackSpec> tracks;
    std::vector<DeviceKind> kinds;
    for (const Group& group : groups) {
      const MetricSpec* metric = find_metric(group.metric);
      tracks.push_back(
          {metric, static_cast<std::uint32_t>(tracks.size()), group.hosts.size(), group.hosts, group.side});
      kinds.push_back(metric->kind);
    }
    const Router router = [this, groups, kinds](const std::string& host, DeviceKind kind,
                                                const std::string& device) {
      ++asked_[device];
      std::vector<Route> routes;
      for (std::size_t g = 0; g < groups.size(); ++g) {
        const auto& hosts = groups[g].hosts;
        const auto member = std::find(hosts.begin(), hosts.end(), host);
        if (kinds[g] != kind && !(kind == DeviceKind::kNet && kinds[g] == DeviceKind::kTcp)) continue;
        if (member == hosts.end()) continue;
        routes.push_back({static_cast<std::uint32_t>(g), static_cast<std::uint32_t>(member - hosts.begin())});
      }
      return routes;
    };
    return MetricStream(Grid{step}, interval, tracks, router);
  }

  MetricStream::Consumer keep() {
    return [this](const MetricCell& cell) {
      order_.push_back(cell.cell);
      std::vector<std::vector<double>>& kept = cells_[cell.cell];
      for (const auto& column : cell.columns) kept.emplace_back(column.begin(), column.end());
    };
  }

  double at(std::int64_t cell, std::size_t track, std::size_t member) {
    return cells_.contains(cell) ? cells_[cell][track][member] : kMissing;
  }

  std::vector<std::int64_t> order_;
  std::map<std::int64_t, std::vector<std::vector<double>>> cells_;
  std::map<std::string, int> asked_;
};

/// Sectors read: `rate` a second from `from` to `to`, sampled once a second.
SampleTable reads(const std::string& host, int from, int to, double rate) {
  std::vector<Sample> samples;
  for (int t = from; t <= to; ++t) samples.push_back({static_cast<double>(t), {rate * t}});
  return samples_of(host, DeviceKind::kDisk, "sda", {"rd_sectors"}, samples);
}

TEST_F(StreamTest, ColumnsComeInTheOrderOfCellsWhoeverIsAhead) {
  MetricStream stream = make({{"rd_sec", {"h0", "h1", "h2"}}});
  stream.add(reads("h0", 100, 160, 10));
  stream.add(reads("h1", 100, 110, 20));
  stream.advance(second(110), keep());
  EXPECT_THAT(order_, ElementsAre(101, 102, 103, 104, 105, 106, 107));
  stream.add(reads("h1", 111, 160, 20));
  stream.finish(keep());
  ASSERT_EQ(order_.size(), 60U);
  EXPECT_TRUE(std::is_sorted(order_.begin(), order_.end()));
  for (const auto& [cell, columns] : cells_) {
    EXPECT_THAT(columns[0], ElementsAre(DoubleNear(10, 1e-9), DoubleNear(20, 1e-9), IsNan())) << cell;
  }
}

TEST_F(StreamTest, HandsOutNothingThatALateSampleCouldChange) {
  MetricStream stream = make({{"rd_sec", {"h0"}}});
  stream.add(reads("h0", 1, 10, 1));
  stream.advance(second(11), keep());
  EXPECT_EQ(order_.back(), 8) << "a sample at 12.5 s still spreads over what follows 10 s, nothing before";
  order_.clear();
  stream.advance(second(11), keep());
  EXPECT_THAT(order_, IsEmpty()) << "a cell is handed out once";
}

TEST_F(StreamTest, KeepsNoMoreThanATableOfAHostThatIsAhead) {
  MetricStream stream = make({{"rd_sec", {"h0", "h1"}}});
  for (int t = 0; t < 5000; t += 10) {
    stream.advance(second(t), keep());
    stream.add(reads("h0", t, t + 9, 1));
    stream.add(reads("h1", t, t + 9, 1));
    const auto handed_out = static_cast<std::int64_t>(order_.empty() ? 0 : order_.back());
    ASSERT_LE(t - handed_out, 13) << "what is behind the slowest host by 2.5 s has left";
  }
}

TEST_F(StreamTest, DaysWithoutSamplesHaveNoCells) {
  MetricStream stream = make({{"rd_sec", {"h0"}}});
  constexpr int kLater = 3 * 86400;
  stream.add(reads("h0", 1, 5, 1));
  stream.add(reads("h0", kLater + 1, kLater + 3, 1));
  stream.finish(keep());
  EXPECT_THAT(order_, ElementsAre(2, 3, 4, 5, kLater + 2, kLater + 3));
}

TEST_F(StreamTest, TheLastCellBeforeAHostFallsSilentIsNotLost) {
  MetricStream stream = make({{"rd_sec", {"h0", "h1"}}});
  stream.add(reads("h0", 1, 10, 5));
  stream.add(reads("h1", 1, 40, 5));
  stream.advance(second(40), keep());
  EXPECT_DOUBLE_EQ(at(10, 0, 0), 5) << "though no later sample of h0 completed it";
  EXPECT_TRUE(std::isnan(at(11, 0, 0)));
}

TEST_F(StreamTest, CellsDoNotDependOnHowSamplesAreCutIntoTables) {
  expect_property("any cut of two hosts' samples gives the same cells", [this] {
    // Gaps of 1 to 6 s, so that some are bridged and some are holes.
    const auto gaps = [] {
      return *rc::gen::container<std::vector<int>>(
          30, rc::gen::weightedElement<int>({{20, 1000}, {4, 1300}, {2, 2500}, {2, 3100}, {1, 6000}}));
    };
    std::vector<std::vector<Sample>> hosts;
    for (int h = 0; h < 2; ++h) {
      double time = 1000.25 * h;
      time += 1000;
      double count = 7;
      auto& samples = hosts.emplace_back();
      for (const int gap : gaps()) {
        samples.push_back({time, {count}});
        time += gap / 1000.0;
        count += gap % 7 + 3;
      }
    }
    // The second host is far behind on purpose only as far as tables allow: both start within a second.
    for (Sample& sample : hosts[1]) sample.time -= 1000;
    const auto run = [&](const std::vector<std::vector<std::size_t>>& cuts) {
      std::vector<SampleTable> tables;
      for (std::size_t h = 0; h < 2; ++h) {
        std::size_t from = 0;
        for (const std::size_t cut : cuts[h]) {
          const std::vector<Sample> part(hosts[h].begin() + static_cast<std::ptrdiff_t>(from),
                                         hosts[h].begin() + static_cast<std::ptrdiff_t>(cut));
          tables.push_back(
              samples_of("h" + std::to_string(h), DeviceKind::kDisk, "sda", {"rd_sectors"}, part));
          from = cut;
        }
      }
      std::stable_sort(tables.begin(), tables.end(), [](const SampleTable& a, const SampleTable& b) {
        return a.times().front() < b.times().front();
      });
      cells_.clear();
      MetricStream stream = make({{"rd_sec", {"h0", "h1"}}});
      for (const SampleTable& table : tables) {
        stream.advance(table.times().front(), keep());
        stream.add(table);
      }
      stream.finish(keep());
      return cells_;
    };
    std::vector<std::vector<std::size_t>> cuts(2);
    for (auto& list : cuts) {
      auto chosen = *rc::gen::container<std::set<std::size_t>>(rc::gen::inRange<std::size_t>(1, 30));
      list.assign(chosen.begin(), chosen.end());
      list.push_back(30);
    }
    const auto whole = run({{30}, {30}});
    const auto cut = run(cuts);
    RC_ASSERT(whole.size() == cut.size());
    for (const auto& [cell, columns] : whole) {
      for (std::size_t m = 0; m < 2; ++m) {
        const double a = columns[0][m];
        const double b = cut.at(cell)[0][m];
        RC_ASSERT((std::isnan(a) && std::isnan(b)) || std::abs(a - b) < 1e-9);
      }
    }
  });
}

/// A connection, once a second: its window, and bytes sent.
SampleTable connection(const std::string& host, const std::string& name, int from, int to, double cwnd,
                       double bytes) {
  std::vector<Sample> samples;
  for (int t = from; t <= to; ++t) samples.push_back({static_cast<double>(t), {cwnd, bytes * t, 3.0 * t}});
  return samples_of(host, DeviceKind::kTcp, name, {"snd_cwnd", "bytes_sent", "retrans"}, samples);
}

TEST_F(StreamTest, CongestionWindowsAreThoseThatSent) {
  MetricStream stream = make({{"cwnd", {"h0"}}});
  stream.add(connection("h0", "a", 1, 10, 10, 1000));
  stream.add(connection("h0", "b", 1, 5, 40, 1000));
  stream.add(connection("h0", "c", 1, 10, 500, 0));
  stream.finish(keep());
  EXPECT_DOUBLE_EQ(at(3, 0, 0), 25) << "two that sent; the third keeps the window of long ago";
  EXPECT_DOUBLE_EQ(at(8, 0, 0), 10) << "the second has closed";
}

/// A connection, once a second: whether it awaits an answer, us with data outstanding, and bytes sent.
SampleTable waiting(const std::string& name, double awaiting, double busy_us, double bytes) {
  std::vector<Sample> samples;
  for (int t = 1; t <= 10; ++t) {
    samples.push_back({static_cast<double>(t), {awaiting, busy_us * t, bytes * t}});
  }
  return samples_of("h0", DeviceKind::kTcp, name, {"awaiting", "busy_us", "bytes_sent"}, samples);
}

TEST_F(StreamTest, WaitingIsSharedByThoseThatHaveSomethingToDo) {
  MetricStream stream = make({{"awaiting", {"h0"}}, {"tcp-busy", {"h0"}}});
  stream.add(waiting("works", 0, 100'000, 1000));
  stream.add(waiting("waits", 1, 500'000, 0));
  stream.add(waiting("idles", 0, 0, 0));
  stream.finish(keep());
  EXPECT_DOUBLE_EQ(at(5, 0, 0), 50) << "a request that has been out for seconds counts, an idle one does not";
  EXPECT_DOUBLE_EQ(at(5, 1, 0), 30);
}

TEST_F(StreamTest, ThoseThatWaitAreCounted) {
  MetricStream stream = make({{"waiters", {"h0", "h1"}}});
  stream.add(waiting("works", 0, 0, 1000));
  stream.add(waiting("waits", 1, 0, 0));
  stream.add(waiting("waits too", 1, 0, 1000));
  stream.finish(keep());
  EXPECT_DOUBLE_EQ(at(5, 0, 0), 2);
  EXPECT_TRUE(std::isnan(at(5, 0, 1))) << "nothing was recorded of the other";
}

TEST_F(StreamTest, WhereNobodyTellsWhatWasSentAllConnectionsCount) {
  MetricStream stream = make({{"cwnd", {"h0"}}});
  for (const double window : {10.0, 30.0}) {
    stream.add(samples_of("h0", DeviceKind::kTcp, std::to_string(window), {"snd_cwnd"},
                          {{1, {window}}, {2, {window}}}));
  }
  stream.finish(keep());
  EXPECT_DOUBLE_EQ(at(2, 0, 0), 20);
}

TEST_F(StreamTest, ClosedConnectionsAreForgotten) {
  MetricStream stream = make({{"cwnd", {"h0"}}, {"rd_sec", {"h0"}}});
  stream.add(connection("h0", "a", 1, 10, 10, 1000));
  for (int t = 10; t < 2000; t += 10) {
    stream.advance(second(t), keep());
    stream.add(reads("h0", t, t + 9, 1));
  }
  stream.add(connection("h0", "a", 2000, 2010, 10, 1000));
  EXPECT_EQ(asked_["a"], 2) << "it has left no trace, so it is asked for again";
  EXPECT_EQ(asked_["sda"], 1);
}

/// Packets of an interface: `sent` and `received` a second.
SampleTable packets(const std::string& host, const std::string& name, int to, double sent, double received) {
  std::vector<Sample> samples;
  for (int t = 0; t <= to; ++t) samples.push_back({static_cast<double>(t), {sent * t, received * t}});
  return samples_of(host, DeviceKind::kNet, name, {"tx_packets", "rx_packets"}, samples);
}

TEST_F(StreamTest, RetransmissionsAreAShareOfTheServersPackets) {
  const std::vector<std::string> hosts{"h0", "h1", "h2"};
  MetricStream stream =
      make({{"retransmits", hosts, PacketSide::kSent}, {"retransmits", hosts, PacketSide::kReceived}});
  stream.add(packets("h0", "eth0", 10, 1000, 600));
  stream.add(packets("h0", "eth1", 10, 200, 0));
  stream.add(packets("h1", "eth0", 10, 20, 20));
  for (const std::string& host : hosts) {
    stream.add(connection(host, host + "a", 0, 10, 10, 1000));
    stream.add(connection(host, host + "b", 0, 10, 10, 1000));
  }
  stream.finish(keep());
  EXPECT_DOUBLE_EQ(at(5, 0, 0), 100 * 6.0 / 1200) << "two connections over both interfaces";
  EXPECT_DOUBLE_EQ(at(5, 1, 0), 100 * 6.0 / 600) << "held against what the server receives";
  EXPECT_DOUBLE_EQ(at(5, 0, 1), 6) << "never against fewer than 100 packets";
  EXPECT_DOUBLE_EQ(at(5, 0, 2), 100 * 6.0 / 500) << "500 packets/s where no interface is recorded";
}

TEST_F(StreamTest, PacketsGoToTheRightServerInGroupsOfDifferentMembers) {
  MetricStream stream = make({{"retransmits", {"h1", "h2"}, PacketSide::kSent},
                              {"retransmits", {"h0", "h1", "h2"}, PacketSide::kReceived}});
  stream.add(packets("h0", "eth0", 10, 1000, 1000));
  stream.add(packets("h1", "eth0", 10, 2000, 2000));
  stream.add(packets("h2", "eth0", 10, 3000, 3000));
  for (const char* host : {"h0", "h1", "h2"}) stream.add(connection(host, host, 0, 10, 10, 1000));
  stream.finish(keep());
  EXPECT_DOUBLE_EQ(at(5, 0, 0), 100 * 3.0 / 2000);
  EXPECT_DOUBLE_EQ(at(5, 0, 1), 100 * 3.0 / 3000);
  EXPECT_DOUBLE_EQ(at(5, 1, 0), 100 * 3.0 / 1000);
  EXPECT_DOUBLE_EQ(at(5, 1, 2), 100 * 3.0 / 3000);
}

TEST_F(StreamTest, AClockSteppedBackDoesNotCountTwice) {
  MetricStream stream = make({{"retransmits", {"h0"}}, {"rd_sec", {"h0"}}});
  const std::vector<double> times{1, 2, 3, 4, 5, 6, 4, 5, 6, 7, 8};
  std::vector<Sample> connection_samples;
  std::vector<Sample> disk_samples;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double sent = 100.0 * static_cast<double>(i);
    connection_samples.push_back({times[i], {static_cast<double>(5 * i), sent}});
    disk_samples.push_back({times[i], {i < 6 ? sent : 2 * sent}});
  }
  stream.add(samples_of("h0", DeviceKind::kTcp, "a", {"retrans", "bytes_sent"}, connection_samples));
  stream.add(samples_of("h0", DeviceKind::kDisk, "sda", {"rd_sectors"}, disk_samples));
  stream.finish(keep());
  EXPECT_DOUBLE_EQ(at(5, 0, 0), 1) << "5 of 500 packets, not 10";
  EXPECT_DOUBLE_EQ(at(5, 1, 0), 200) << "the later record of a cell is kept";
  EXPECT_TRUE(std::is_sorted(order_.begin(), order_.end()));
}

TEST_F(StreamTest, AwaitOfAStallGrowsUntilSomethingCompletes) {
  MetricStream stream = make({{"await", {"h0"}}});
  std::vector<Sample> samples;
  for (int t = 0; t <= 20; ++t) {
    const bool stalled = t >= 5 && t < 12;
    const double done = t < 5 ? 10.0 * t : (stalled ? 40 : 40 + 10.0 * (t - 11));
    samples.push_back({static_cast<double>(t), {done, 0, 20 * done, 0, stalled ? 3.0 : 0.0}});
  }
  stream.add(samples_of("h0", DeviceKind::kDisk, "sda", {"rd_ios", "wr_ios", "rd_ms", "wr_ms", "in_flight"},
                        samples));
  stream.finish(keep());
  EXPECT_DOUBLE_EQ(at(4, 0, 0), 20);
  EXPECT_TRUE(std::isnan(at(5, 0, 0))) << "it may have come just before the sample";
  EXPECT_DOUBLE_EQ(at(6, 0, 0), 1000);
  EXPECT_DOUBLE_EQ(at(11, 0, 0), 6000);
  EXPECT_DOUBLE_EQ(at(12, 0, 0), 20) << "over";
}

TEST_F(StreamTest, AStallIsNotCarriedOverAHole) {
  MetricStream stream = make({{"await", {"h0"}}});
  std::vector<Sample> samples;
  for (const int t : {0, 1, 2, 3, 4, 90, 91, 92})
    samples.push_back({static_cast<double>(t), {5, 0, 5, 0, 3}});
  stream.add(samples_of("h0", DeviceKind::kDisk, "sda", {"rd_ios", "wr_ios", "rd_ms", "wr_ms", "in_flight"},
                        samples));
  stream.finish(keep());
  EXPECT_DOUBLE_EQ(at(4, 0, 0), 3000);
  EXPECT_DOUBLE_EQ(at(92, 0, 0), 1000) << "nobody knows what completed in the hole";
}

}  // namespace
}  // namespace laggard::derive
