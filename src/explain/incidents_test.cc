#include "explain/incidents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "testing/grouping.h"
#include "testing/incidents.h"

namespace laggard::explain {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using testing_support::at;
using testing_support::GroupingBuilder;
using testing_support::IncidentsTest;
using testing_support::kLab;
using testing_support::Seen;

TEST_F(IncidentsTest, OneProblemWithAllThatItShows) {
  const auto found =
      incidents({{"s3/d1", "await", 64, 256}, {"s3/d1", "rd_sec", 96, 320, 8, 100, "cdf", false}});
  ASSERT_THAT(names(found), ElementsAre("s3 disk-busy"));
  const Incident& incident = found[0];
  EXPECT_EQ(incident.since, at(64));
  EXPECT_EQ(incident.faulty_since, at(64 + 128));
  EXPECT_EQ(incident.until, at(320 + 64));
  EXPECT_EQ(incident.status, IncidentStatus::kClosed);
  EXPECT_EQ(incident.state, IncidentState::kConfirmed) << "one witness is enough";
  EXPECT_EQ(incident.persistence, 7);
  EXPECT_EQ(incident.severity, 16);
  EXPECT_THAT(incident.components, ElementsAre("s3/d1"));
  ASSERT_EQ(incident.evidence.size(), 2U);
  EXPECT_EQ(incident.evidence[0].metric, "rd_sec") << "the strongest first";
  EXPECT_EQ(incident.evidence[1].peers, 100);
  EXPECT_THAT(incident.why, HasSubstr("s3"));
  EXPECT_EQ(incident.id, "s3-d1-slower-19700101T000312Z");
}

TEST_F(IncidentsTest, WhatMovesMoreIsAHog) {
  EXPECT_THAT(names(incidents({{"s3/d1", "await", 64, 256, 5, 300}})), ElementsAre("s3 disk-hog"));
}

TEST_F(IncidentsTest, ALittleMoreIsNoHog) {
  EXPECT_THAT(names(incidents({{"s3/d1", "await", 64, 256, 5, 104}})), ElementsAre("s3 disk-busy"));
}

TEST_F(IncidentsTest, OpenOnesHaveNoEnd) {
  const auto found = incidents({{"s3/d1", "await", 64, 256, 5, 100, "cdf", false, true}});
  EXPECT_EQ(found[0].status, IncidentStatus::kOpen);
  EXPECT_FALSE(found[0].until.has_value());
  EXPECT_EQ(found[0].state, IncidentState::kSuspected);
}

TEST_F(IncidentsTest, TwoServersAtOnceAreTwo) {
  EXPECT_THAT(names(incidents({{"s2/d1", "await", 64, 256, 9}, {"s4/d1", "await", 100, 256, 8}})),
              ElementsAre("s2 disk-busy", "s4 disk-busy"));
}

TEST_F(IncidentsTest, TheNeighboursOfAStrongOneAreExplained) {
  EXPECT_THAT(names(incidents({{"s2/eth0", "txbyt", 64, 256, 20}, {"s4/d1", "await", 100, 256, 1.5}})),
              ElementsAre("s2 network-hog", "s4 disk-busy (explained)"));
}

TEST_F(IncidentsTest, NotWhenTheyAreStrongThemselves) {
  EXPECT_THAT(names(incidents({{"s2/eth0", "txbyt", 64, 256, 20}, {"s4/d1", "await", 100, 256, 2.1}})),
              ElementsAre("s2 network-hog", "s4 disk-busy"));
}

TEST_F(IncidentsTest, NotWhenTheStrongOneIsLongOver) {
  EXPECT_THAT(names(incidents({{"s2/eth0", "txbyt", 64, 256, 20}, {"s4/d1", "await", 900, 1200, 1.5}})),
              ElementsAre("s4 disk-busy", "s2 network-hog"))
      << "the more persistent one first";
}

TEST_F(IncidentsTest, NotWhenPacketsAreLost) {
  EXPECT_THAT(
      names(incidents({{"s2/eth0", "txbyt", 64, 256, 20}, {"s4/tcp-in", "retransmits", 64, 256, 1.5}})),
      ElementsAre("s2 network-hog", "s4 packet-loss"))
      << "no neighbour makes another's packets vanish";
  Seen seen_by_the_kernel{"s4/d1", "await", 64, 256, 1.5};
  EXPECT_THAT(incidents({{"s2/eth0", "txbyt", 64, 256, 20}, seen_by_the_kernel})[1].status,
              IncidentStatus::kExplained);
  seen_by_the_kernel.retransmissions = 1;
  EXPECT_THAT(incidents({{"s2/eth0", "txbyt", 64, 256, 20}, seen_by_the_kernel})[1].status,
              IncidentStatus::kClosed);
}

TEST_F(IncidentsTest, AMereSuspicionExplainsNothingThatIsConfirmed) {
  Seen strong{"s2/eth0", "txbyt", 64, 256, 20, 200, "cdf", true, true};
  strong.confirmed = false;
  Seen weak{"s4/d1", "await", 100, 256, 1.5};
  EXPECT_THAT(names(incidents({strong, weak})), ElementsAre("s4 disk-busy", "s2 network-hog"));
  weak.confirmed = false;
  EXPECT_THAT(names(incidents({strong, weak})), ElementsAre("s2 network-hog", "s4 disk-busy (explained)"));
}

TEST_F(IncidentsTest, AHaltingChecklistEndsAtTheFirstStepThatAnyServerComesTo) {
  IncidentOptions halting = kLab;
  halting.limits.secondary_share = 0;
  halting.halting = true;
  const std::vector<Rule> rules = parse_rules(paper_rules(), "rules").value();
  const auto said = [&](const std::vector<Seen>& all) { return names(incidents(all, halting, rules)); };
  EXPECT_THAT(said({{"s3/d1", "await", 64, 256, 20}, {"s5/d1", "wr_sec", 96, 256, 2}}),
              ElementsAre("s5 disk-hog", "s3 disk-busy (explained)"))
      << "however much stronger the later step is";
  EXPECT_THAT(said({{"s3/d1", "await", 64, 256, 20}, {"s5/d1", "wr_sec", 900, 1200, 2}}),
              ElementsAre("s5 disk-hog", "s3 disk-busy"))
      << "not at the same time";
  Seen suspicion{"s5/d1", "wr_sec", 96, 256, 2};
  suspicion.confirmed = false;
  EXPECT_THAT(said({{"s3/d1", "await", 64, 256, 20}, suspicion}), ElementsAre("s3 disk-busy", "s5 disk-hog"))
      << "not by what is merely suspected";
  EXPECT_THAT(said({{"s3/eth0", "rxbyt", 64, 256, 9}, {"s5/eth0", "txpck", 96, 256, 2}}),
              ElementsAre("s3 network-hog", "s5 network-hog"))
      << "two rules of one step";
}

TEST_F(IncidentsTest, ThePaperExplainsNothingAway) {
  IncidentOptions paper = kLab;
  paper.limits.secondary_share = 0;
  EXPECT_THAT(names(incidents({{"s2/eth0", "txbyt", 64, 256, 20}, {"s4/d1", "await", 100, 256, 1.5}}, paper)),
              ElementsAre("s2 network-hog", "s4 disk-busy"));
}

TEST_F(IncidentsTest, WhoIsAsSlowAsEverIsSaidToBeAndExplainsNobody) {
  Seen slow{"s1/d1", "await", 100, 400, 40};
  slow.confirmed = false;
  slow.as_ever = true;
  const auto found = incidents({slow, {"s2/d1", "await", 100, 400, 1.5}});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].blame.name, "s2");
  EXPECT_EQ(found[0].status, IncidentStatus::kClosed);
  EXPECT_THAT(found[0].evidence[0].note, IsEmpty());
  EXPECT_EQ(found[1].state, IncidentState::kSuspected);
  EXPECT_TRUE(found[1].as_ever);
  EXPECT_THAT(found[1].evidence[0].note, HasSubstr("sick, or other hardware"));
  slow.window_s = 64;
  EXPECT_THAT(incidents({slow})[0].evidence[0].note, HasSubstr("sick, or other hardware"));
  slow.window_s = 16;
  EXPECT_THAT(incidents({slow})[0].evidence[0].note, HasSubstr("seen in windows of 16 s"))
      << "no hardware is other in short windows alone";
}

TEST_F(IncidentsTest, WhatConfirmsTheIncidentSettlesIt) {
  Seen slow{"s1/d1", "await", 100, 400, 4};
  slow.confirmed = false;
  slow.as_ever = true;
  const auto found = incidents({slow, {"s1/d1", "rd_sec", 100, 400, 5}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].state, IncidentState::kConfirmed);
  for (const Evidence& evidence : found[0].evidence) EXPECT_THAT(evidence.note, IsEmpty());
}

TEST_F(IncidentsTest, ABurstIsWithdrawnUnlessTheTroubleGoesOnOrElseIsConfirmed) {
  Seen burst{"s1/d1", "await", 100, 400, 40};
  burst.confirmed = false;
  burst.withdrawn = true;
  const auto over = incidents({burst, {"s2/d1", "await", 100, 400, 1.5}});
  ASSERT_THAT(names(over), ElementsAre("s2 disk-busy", HasSubstr("s1 "))) << "a burst explains nobody";
  EXPECT_EQ(over[1].status, IncidentStatus::kWithdrawn);
  EXPECT_THAT(over[1].evidence[0].note, HasSubstr("withdrawn"));

  Seen again{"s1/d1", "await", 420, 700, 4};
  again.confirmed = false;
  again.open = true;
  const auto open = incidents({burst, again});
  ASSERT_EQ(open.size(), 1U);
  EXPECT_EQ(open[0].status, IncidentStatus::kOpen);
  EXPECT_EQ(open[0].state, IncidentState::kSuspected);

  const auto confirmed = incidents({burst, {"s1/d1", "rd_sec", 100, 400, 5}});
  ASSERT_EQ(confirmed.size(), 1U);
  EXPECT_EQ(confirmed[0].status, IncidentStatus::kClosed);
  for (const Evidence& evidence : confirmed[0].evidence) EXPECT_THAT(evidence.note, IsEmpty());
}

TEST_F(IncidentsTest, TheSameTroubleComesBackAsOne) {
  const auto found = incidents({{"s3/d1", "await", 0, 256}, {"s3/d1", "await", 800, 1000}});
  ASSERT_THAT(names(found), ElementsAre("s3 disk-busy")) << "within four times five windows";
  EXPECT_EQ(found[0].since, at(0));
  EXPECT_EQ(found[0].until, at(1064));
  EXPECT_EQ(found[0].evidence.size(), 2U);
}

TEST_F(IncidentsTest, MuchLaterItIsAnother) {
  EXPECT_EQ(incidents({{"s3/d1", "await", 0, 256}, {"s3/d1", "await", 1000, 1200}}).size(), 2U);
}

TEST_F(IncidentsTest, ConfirmedOnesComeFirstThenThePersistent) {
  const auto found = incidents({{"s1/d1", "await", 0, 128, 9, 100, "cdf", false},
                                {"s2/d1", "await", 3000, 3128, 8},
                                {"s3/d1", "await", 6000, 7000, 7}});
  EXPECT_THAT(names(found), ElementsAre("s3 disk-busy", "s2 disk-busy", "s1 disk-busy"));
}

TEST_F(IncidentsTest, AnInterfaceThatFallsSilentIsNoDisk) {
  const auto found = incidents({{"s3/eth0", "rxbyt", 64, 256, 2, 0, "absent"}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].resource, "network");
}

TEST_F(IncidentsTest, WithoutARuleTheCauseIsUnknown) {
  const std::vector<Incident> found =
      make_incidents(GroupingBuilder().servers(3, 1, false).get(), {}, {}, kLab);
  EXPECT_THAT(found, IsEmpty());
}

/// Two arrays of six LUNs, each seen by one server.
class ArrayIncidentsTest : public IncidentsTest {
 protected:
  ArrayIncidentsTest() : IncidentsTest(arrays()) {}
  static GroupingBuilder arrays() {
    GroupingBuilder build;
    for (const char* lun : {"l1", "l2", "l3"}) build.lun(lun, "ddn1a", "ddn1", {"fs1"});
    for (const char* lun : {"l4", "l5", "l6"}) build.lun(lun, "ddn1b", "ddn1", {"fs2"});
    for (const char* lun : {"m1", "m2", "m3"}) build.lun(lun, "ddn2a", "ddn2", {"fs3"});
    return build;
  }
};

TEST_F(ArrayIncidentsTest, AnArrayIsOneIncidentAndALunElsewhereAnother) {
  std::vector<Seen> seen;
  for (const char* name : {"l1.fs1", "l2.fs1", "l3.fs1", "l4.fs2", "l5.fs2"})
    seen.push_back({name, "await", 0, 256});
  seen.push_back({"m2.fs3", "await", 32, 256, 4});
  const auto found = incidents(seen);
  EXPECT_THAT(names(found), ElementsAre("ddn1 slow-array", "m2 slow-lun"));
  EXPECT_EQ(found[0].components.size(), 5U);
  EXPECT_EQ(found[0].blame.kind, PartKind::kArray);
}

TEST_F(ArrayIncidentsTest, ProblemsThatOnlyFollowEachOtherAreNotOne) {
  const auto found = incidents({{"l1.fs1", "await", 0, 256}, {"l2.fs1", "await", 2000, 2256}});
  EXPECT_THAT(names(found), ElementsAre("l1 slow-lun", "l2 slow-lun"));
}

class ManyDisks : public IncidentsTest {
 protected:
  ManyDisks() : IncidentsTest(GroupingBuilder().servers(3, 4, true)) {}
};

TEST_F(ManyDisks, SuspectsDoNotMakeTheServerSick) {
  const Seen sick{"s1/d1", "await", 64, 900, 5};
  Seen odd{"s1/d2", "await", 96, 500, 2};
  odd.confirmed = false;
  Seen odd_too = odd;
  odd_too.component = "s1/d3";
  const auto found = incidents({sick, odd, odd_too});
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].blame.name, "s1/d1");
  EXPECT_THAT(found[0].components, ElementsAre("s1/d1"));
  for (std::size_t i = 1; i < found.size(); ++i) EXPECT_EQ(found[i].state, IncidentState::kSuspected);
}

TEST_F(ManyDisks, ConfirmedOnesDo) {
  const auto found = incidents({{"s1/d1", "await", 64, 900, 5},
                                {"s1/d2", "await", 96, 900, 5},
                                {"s1/d3", "await", 96, 900, 5},
                                {"s1/d4", "await", 96, 900, 5, 100, "cdf", false}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].blame.name, "s1") << "and who is only suspected is one of its disks";
  EXPECT_EQ(found[0].components.size(), 4U);
}

}  // namespace
}  // namespace laggard::explain
