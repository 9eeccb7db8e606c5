#include "detect/peer/judge/findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <memory>

#include "base/missing.h"
#include "detect/peer/judge/level_book.h"
#include "testing/grouping.h"

namespace laggard::detect {
namespace {
using testing::IsEmpty;
using testing_support::GroupingBuilder;

/// Five servers with a disk, an interface and their connections; anomalies are of the third one's.
class PeerFindings : public testing::Test {
 protected:
  PeerFindings() { measure({{"rd_sec", "wr_sec", "await"}, {"rxbyt", "txbyt"}, {"cwnd", "retransmits"}}); }

  /// What is measured of disks, interfaces and connections.
  void measure(const std::vector<std::vector<const char*>>& metrics) {
    groups_.clear();
    for (const PeerGroup& group : system_.get().groups) {
      GroupAnomalies& anomalies = groups_.emplace_back();
      const std::size_t kind = std::min<std::size_t>(static_cast<std::size_t>(group.kind), 2);
      for (const char* name : metrics[kind]) anomalies.columns.push_back({find_metric(name), true});
    }
  }

  /// As F compares congestion windows.
  void compare_in_unit() {
    for (GroupAnomalies& group : groups_) {
      for (GroupJudge::Column& column : group.columns) column.by_factors = false;
    }
  }

  /// \param levels  a row per column of the group, of all five members; one window.
  Anomaly& add(std::string_view component, std::string_view metric, std::vector<std::vector<double>> levels,
               std::string_view detector = "cdf") {
    constexpr std::size_t kThird = 2;
    const std::size_t index = system_.index(std::string(component));
    std::size_t g = 0;
    while (system_.get().groups[g].members[kThird].index() != index) ++g;
    Anomaly& anomaly = anomalies_.emplace_back();
    anomaly.member = kThird;
    anomaly.metric = find_metric(metric);
    anomaly.detector = detector;
    anomaly.until = WallTime{};
    anomaly.levels = std::make_shared<LevelSums>();
    anomaly.levels->add(levels);
    groups_[g].anomalies.push_back(&anomaly);
    groups_[g].open.push_back(1);
    return anomaly;
  }

  /// Those that are told of.
  [[nodiscard]] std::vector<Finding> findings() const {
    std::vector<Finding> found = peer_findings(system_.get(), groups_);
    std::erase_if(found, [](const Finding& finding) { return finding.withheld; });
    return found;
  }

 private:
  GroupingBuilder system_ = GroupingBuilder().servers(5, 1, true);
  std::vector<GroupAnomalies> groups_;
  std::deque<Anomaly> anomalies_;
};

const std::vector<std::vector<double>> kBusyDisk{
    {100, 110, 300, 120, 130}, {10, 10, 10, 10, 10}, {5, 6, 50, 7, 8}};

TEST_F(PeerFindings, SayWhatTheComponentAndItsPeersDid) {
  add("s3/d1", "await", kBusyDisk);
  const std::vector<Finding> found = findings();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].symptom, Symptom::kSlower);
  EXPECT_EQ(found[0].evidence.component, "s3/d1");
  EXPECT_EQ(found[0].evidence.level, 50);
  EXPECT_EQ(found[0].evidence.peers, 6.5);
  EXPECT_TRUE(found[0].open);
  const Fact* moved = found[0].fact(kStorageMoved);
  ASSERT_NE(moved, nullptr);
  EXPECT_EQ(moved->own, 310);
  EXPECT_EQ(moved->peers, 125);
  EXPECT_EQ(moved->scatter, 20) << "140 against 120, the middle of 110, 120 and 130";
  EXPECT_EQ(found[0].fact(kNetworkMoved), nullptr) << "disks do not measure it";
}

TEST_F(PeerFindings, SayTheSameWhenItIsOver) {
  Anomaly& anomaly = add("s3/d1", "await", kBusyDisk);
  const std::vector<Finding> before = findings();
  const std::vector<GroupJudge::Column> columns{
      {find_metric("rd_sec"), true}, {find_metric("wr_sec"), true}, {find_metric("await"), true}};
  anomaly.summary = LevelBook(columns).summary(anomaly);
  anomaly.levels.reset();
  const std::vector<Finding> after = findings();
  ASSERT_EQ(before.size(), 1U);
  ASSERT_EQ(after.size(), 1U);
  EXPECT_EQ(after[0].symptom, before[0].symptom);
  EXPECT_EQ(after[0].evidence.level, before[0].evidence.level);
  EXPECT_EQ(after[0].evidence.peers, before[0].evidence.peers);
  ASSERT_EQ(after[0].facts.size(), before[0].facts.size());
  for (std::size_t f = 0; f < after[0].facts.size(); ++f) {
    EXPECT_EQ(after[0].facts[f].spec, before[0].facts[f].spec);
    if (after[0].facts[f].spec != &kStorageMoved) continue;
    EXPECT_EQ(after[0].facts[f].own, 310);
    EXPECT_EQ(after[0].facts[f].peers, before[0].facts[f].peers);
    EXPECT_EQ(after[0].facts[f].scatter, before[0].facts[f].scatter);
  }
}

TEST_F(PeerFindings, TwoSickAlikeDoNotVouchForEachOther) {
  const std::vector<std::vector<double>> two{{100, 110, 300, 120, 310}, {0, 0, 0, 0, 0}, {5, 6, 50, 7, 50}};
  add("s3/d1", "rd_sec", two);
  EXPECT_EQ(findings()[0].fact(kStorageMoved)->scatter, 200) << "310 against the middle of 100, 110 and 120";
  Anomaly& fifth = add("s3/d1", "rd_sec", two);
  fifth.member = 4;
  EXPECT_EQ(findings()[0].fact(kStorageMoved)->scatter, 15) << "120 against the middle of 100 and 110";
  fifth.first_position = fifth.last_position = 7;
  EXPECT_EQ(findings()[0].fact(kStorageMoved)->scatter, 200) << "the other one's was over by then";
  fifth.first_position = 0;
  add("s3/d1", "rd_sec", two).member = 3;
  EXPECT_EQ(findings()[0].fact(kStorageMoved)->scatter, 200) << "three of five: nobody knows who is well";
}

TEST_F(PeerFindings, ThroughputIsMoreOrLess) {
  add("s3/d1", "rd_sec", kBusyDisk);
  add("s3/eth0", "rxbyt", {{9, 9, 3, 9, 9}, {9, 9, 9, 9, 9}});
  EXPECT_EQ(findings()[0].symptom, Symptom::kMore);
  EXPECT_EQ(findings()[0].evidence.level, 300) << "the metric itself";
  EXPECT_EQ(findings()[0].fact(kStorageMoved)->own, 310) << "reads and writes";
  EXPECT_EQ(findings()[1].symptom, Symptom::kLess);
}

TEST_F(PeerFindings, SilentIsWhoIsThereAndLostWhoIsNot) {
  add("s3/d1", "rd_sec", {{9, 9, 0, 9, 9}, {9, 9, 0, 9, 9}, {9, 9, 0, 9, 9}}, kAbsentDetector);
  EXPECT_EQ(findings()[0].symptom, Symptom::kSilent);
  add("s3/d1", "rd_sec", {{9, 9, kMissing, 9, 9}, {9, 9, kMissing, 9, 9}, {9, 9, kMissing, 9, 9}},
      kAbsentDetector);
  const std::vector<Finding> found = findings();
  EXPECT_EQ(found[1].symptom, Symptom::kLost);
  EXPECT_FALSE(found[1].evidence.level.has_value()) << "missing is not zero";
  EXPECT_TRUE(std::isnan(found[1].fact(kStorageMoved)->own));
}

TEST_F(PeerFindings, OnlyDetectorsOfSingleWindowsKnowOfPauses) {
  add("s3/d1", "await", kBusyDisk).pauses = 3;
  add("s3/d1", "await", kBusyDisk, kBiasDetector).pauses = 3;
  const std::vector<Finding> found = findings();
  ASSERT_NE(found[0].fact(kPauses), nullptr);
  EXPECT_EQ(found[0].fact(kPauses)->own, 3);
  EXPECT_FALSE(found[0].retrospective);
  EXPECT_EQ(found[1].fact(kPauses), nullptr);
  EXPECT_TRUE(found[1].retrospective);
}

const std::vector<std::vector<double>> kSmallWindows{{5, 5, 1, 5, 5}, {0, 0, 3, 0, 0}};

TEST_F(PeerFindings, CongestionAloneIsNothingWhereRetransmissionsAreRecorded) {
  add("s3/tcp-out", "cwnd", kSmallWindows);
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(PeerFindings, CongestionWithSomethingElseIsEvidence) {
  add("s3/tcp-out", "cwnd", kSmallWindows);
  add("s3/tcp-out", "retransmits", kSmallWindows);
  const std::vector<Finding> found = findings();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].symptom, Symptom::kLess);
  EXPECT_EQ(found[0].evidence.level, 1)
      << "2^1 - 1 segments: compared as log2(1 + segments), shown as segments";
  EXPECT_EQ(found[1].symptom, Symptom::kError);
}

TEST_F(PeerFindings, CongestionAloneIsAllThereIsWithoutRetransmissions) {
  measure({{"await"}, {"rxbyt", "txbyt"}, {"cwnd"}});
  add("s3/tcp-out", "cwnd", {{5, 5, 1, 5, 5}});
  EXPECT_EQ(findings().size(), 1U);
}

TEST_F(PeerFindings, WindowsThatWereComparedAsTheyAreStayAsTheyAre) {
  measure({{"await"}, {"rxbyt", "txbyt"}, {"cwnd"}});
  compare_in_unit();
  add("s3/tcp-out", "cwnd", {{40, 41, 12, 40, 40}});
  ASSERT_EQ(findings().size(), 1U);
  EXPECT_EQ(findings()[0].evidence.level, 12);
  EXPECT_EQ(findings()[0].evidence.peers, 40);
}

}  // namespace
}  // namespace laggard::detect
