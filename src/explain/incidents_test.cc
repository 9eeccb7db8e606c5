#include "explain/incidents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "testing/grouping.h"

namespace laggard::explain {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using testing_support::GroupingBuilder;

const IncidentOptions kLab{.size = 64, .shift = 32, .k = 3, .limits = {}};

WallTime at(std::int64_t cell) { return from_unix_ns(cell * 1'000'000'000); }

/// What was seen of a component: from when to when (in cells), and how strongly.
struct Seen {
  std::string component;
  const char* metric = "await";
  std::int64_t first = 0;
  std::int64_t last = 0;
  double strength = 5;
  double own = 100;  ///< Its level in all columns; that of its peers is 100.
  const char* detector = "cdf";
  bool confirmed = true;
  bool open = false;
  std::vector<Growth> growth = {};
  std::size_t normal_since = 0;
  bool as_ever = false;
  bool withdrawn = false;
  std::optional<double> window_s = {};
  std::optional<double> retransmissions = {};
  std::optional<double> wait = {};  ///< Its level, where that is not `own`.
  std::optional<double> neighbours_wait = {};
};

/// A finding as the peer detectors make it.
Finding finding_of(const Seen& seen, std::size_t component) {
  const MetricSpec& metric = *find_metric(seen.metric);
  const std::string_view detector = seen.detector;
  Finding finding;
  finding.component = component;
  finding.symptom = std::isnan(seen.own)               ? Symptom::kLost
                    : detector == "absent"             ? Symptom::kSilent
                    : metric.role == Role::kLatency    ? Symptom::kSlower
                    : metric.role == Role::kThroughput ? Symptom::kMore
                                                       : Symptom::kError;
  finding.resource = metric.resource;
  finding.role = metric.role;
  finding.since = at(seen.first);
  finding.faulty_since = at(seen.first + 128);
  finding.until = at(seen.last + 64);
  finding.opened = {finding.faulty_since, finding.symptom};
  finding.open = seen.open;
  finding.as_ever = seen.as_ever;
  finding.withdrawn = seen.withdrawn;
  finding.evidence.window_s = seen.window_s;
  finding.first = seen.first;
  finding.last = seen.last;
  finding.retrospective = detector == "bias";
  finding.persistence = (seen.last - seen.first) / 32;
  finding.severity = 2 * seen.strength;
  finding.strength = seen.strength;
  if (seen.confirmed) finding.confirmed_since = finding.faulty_since;
  finding.growth = seen.growth;
  const FactSpec& moved = metric.resource == Resource::kStorage ? kStorageMoved : kNetworkMoved;
  if (metric.kind != DeviceKind::kTcp) finding.facts.push_back({&moved, 2 * seen.own, 200, 0});
  finding.facts.push_back({&kAnomalousWindows, static_cast<double>(finding.persistence)});
  if (detector == "standby") finding.facts.push_back({&kStandbyWait, 30});
  if (finding.is_slow() && !finding.retrospective && detector != "standby") {
    finding.facts.push_back({&kNormalWindows, 0});
    finding.facts.push_back({&kPauses, 0});
    finding.facts.push_back({&kNormalWindowsSince, static_cast<double>(seen.normal_since)});
  }
  if (seen.retransmissions) finding.facts.push_back({&kRetransmissions, *seen.retransmissions, 0});
  if (seen.neighbours_wait) finding.facts.push_back({&kNeighboursWait, *seen.neighbours_wait});
  finding.evidence.metric = metric.name;
  finding.evidence.detector = detector;
  finding.evidence.component = seen.component;
  finding.evidence.score = seen.strength;
  if (!std::isnan(seen.own)) finding.evidence.level = seen.wait.value_or(seen.own);
  finding.evidence.peers = 100;
  return finding;
}

class IncidentsTest : public testing::Test {
 protected:
  explicit IncidentsTest(const GroupingBuilder& system = GroupingBuilder().servers(5, 1, true))
      : system_(system) {}

  std::vector<Incident> incidents(
      const std::vector<Seen>& all, const IncidentOptions& options = kLab,
      const std::vector<Rule>& rules = parse_rules(default_rules(), "rules").value()) {
    std::vector<Finding> findings;
    for (const Seen& seen : all) findings.push_back(finding_of(seen, system_.index(seen.component)));
    return make_incidents(system_.get(), findings, rules, options);
  }

  /// `s3 disk-busy`, with what explains it in brackets left out.
  static std::vector<std::string> names(const std::vector<Incident>& incidents) {
    std::vector<std::string> out;
    for (const Incident& incident : incidents) {
      const bool explained = incident.status == IncidentStatus::kExplained;
      out.push_back(incident.blame.name + " " + incident.cause + (explained ? " (explained)" : ""));
    }
    return out;
  }

 private:
  GroupingBuilder system_;
};

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
  EXPECT_THAT(names(found), ElementsAre("ddn1 drawer-errors", "m2 slow-lun"));
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

/// An array of 32 LUNs and eight servers, four on each controller.
class SharedLuns : public IncidentsTest {
 protected:
  SharedLuns() : IncidentsTest(GroupingBuilder().array("x", 32, 8).array("y", 32, 8)) {}

  static constexpr double kGone = std::numeric_limits<double>::quiet_NaN();
  using Servers = std::vector<std::size_t>;

  static Seen primary(std::size_t lun, std::int64_t first = 64, std::int64_t last = 640) {
    return {.component = GroupingBuilder::attachment_name("x", lun, lun % 8), .first = first, .last = last};
  }

  /// What is seen when LUNs do not get through these servers: zeros or nothing where they were served, load
  /// where they are served now.
  void lose(const Servers& servers, double own, const std::function<bool(std::size_t)>& is_lost,
            std::int64_t first = 64) {
    const auto lost = [&](std::size_t lun, std::size_t server) {
      return is_lost(lun) && std::find(servers.begin(), servers.end(), server) != servers.end();
    };
    for (std::size_t lun = 0; lun < 32; ++lun) {
      for (std::size_t s = 0; s < 8; ++s) {
        if (lost(lun, s) && (std::isnan(own) || s == lun % 8)) {
          see({GroupingBuilder::attachment_name("x", lun, s), "rd_sec", first, 640, 5, own,
               std::isnan(own) ? "cdf" : "absent"});
        }
      }
      if (!lost(lun, lun % 8)) continue;
      std::size_t taker = lun % 8;
      while (lost(lun, taker)) taker = (taker + 1) % 8;
      see({GroupingBuilder::attachment_name("x", lun, taker), "wr_sec", first, 640, 5, 300});
    }
  }

  /// Findings one after the other, and after each so many normal windows.
  void see_by_turns(std::size_t lun, std::size_t well, std::int64_t times = 4) {
    for (std::int64_t first = 64; first < 448 * times; first += 448) {
      Seen slow = primary(lun, first, first + 160);
      slow.normal_since = well;
      see(slow);
    }
  }

  void see(const Seen& seen) { seen_.push_back(seen); }
  [[nodiscard]] const std::vector<Seen>& seen() const { return seen_; }
  std::vector<Incident> found() { return incidents(seen_); }
  static bool all(std::size_t /*lun*/) { return true; }
  static bool even(std::size_t lun) { return lun % 2 == 0; }
  static bool odd(std::size_t lun) { return lun % 2 == 1; }

 private:
  std::vector<Seen> seen_;
};

TEST_F(SharedLuns, AServerThatDoesNotServeAndThoseThatDoInItsPlace) {
  lose({2}, 0, all);
  const auto incidents = found();
  ASSERT_THAT(names(incidents), ElementsAre("x-s2 service-down"));
  EXPECT_THAT(incidents[0].components, ElementsAre("x.10.2", "x.18.2", "x.2.2", "x.26.2"));
  EXPECT_TRUE(std::ranges::any_of(incidents[0].evidence, [](const Evidence& evidence) {
    return evidence.component == "x.2.3" && evidence.note == "has load in place of x.2.2";
  }));
}

TEST_F(SharedLuns, AServerOfWhichNothingIsRecorded) {
  lose({2}, kGone, all);
  EXPECT_THAT(names(found()), ElementsAre("x-s2 server-down"));
}

TEST_F(SharedLuns, AControllerWithoutDevices) {
  lose({0, 1, 2, 3}, kGone, all);
  EXPECT_THAT(names(found()), ElementsAre("xa controller-failed"));
}

TEST_F(SharedLuns, MostServersOfAControllerWithoutDevices) {
  lose({4, 5, 7}, kGone, all);
  EXPECT_THAT(names(found()), ElementsAre("xb luns-inaccessible"));
}

TEST_F(SharedLuns, ZerosOnTheOthersLunsAreAMisconfiguredController) {
  lose({0, 1, 2, 3}, 0, even);
  EXPECT_THAT(names(found()), ElementsAre("xa misconfiguration"));
}

TEST_F(SharedLuns, BothControllersReachOnlyTheirOwn) {
  lose({0, 1, 2, 3}, kGone, even);
  lose({4, 5, 6, 7}, kGone, odd);
  EXPECT_THAT(names(found()), ElementsAre("x coherency-lost"));
}

TEST_F(SharedLuns, FirstTheyWaitThenServersGiveThemUp) {
  for (const std::size_t lun : {1U, 3U, 4U, 6U, 9U, 12U, 14U, 20U, 23U, 27U}) see(primary(lun, 64, 480));
  lose({0, 1, 4, 6}, 0, all, 480);
  EXPECT_THAT(names(found()), ElementsAre("x cascaded-failure"));
}

TEST_F(SharedLuns, ADrawersErrors) {
  for (const std::size_t lun : {0U, 1U, 3U, 4U, 5U, 7U, 9U, 10U, 12U, 14U}) see(primary(lun));
  EXPECT_THAT(names(found()), ElementsAre("x-D drawer-errors")) << "it holds LUNs 0 to 15";
}

TEST_F(SharedLuns, OneLunAndItsWorkload) {
  see(primary(5));
  EXPECT_THAT(names(found()), ElementsAre("x-l5 slow-lun"));
}

TEST_F(SharedLuns, OneLunWithAWorkloadOfItsOwn) {
  Seen busy = primary(5);
  busy.own = 300;
  see(busy);
  EXPECT_THAT(names(found()), ElementsAre("x-l5 busy-lun"));
}

TEST_F(SharedLuns, OneLunInAbsenceOfAWorkload) {
  see(primary(5));
  see({"x.5.6", "await", 64, 640, 5, 100, "standby"});
  EXPECT_THAT(names(found()), ElementsAre("x-l5 silent-lun"));
}

TEST_F(SharedLuns, ARepairedLunIsAboveItsNeighbours) {
  for (const std::size_t lun : {4U, 5U, 7U}) see(primary(lun));
  Seen repaired = primary(6, 32);
  repaired.strength = 9;
  see(repaired);
  const auto incidents = found();
  ASSERT_THAT(names(incidents), ElementsAre("x-l6 reconstruction"));
  EXPECT_EQ(incidents[0].components.size(), 4U);
}

TEST_F(SharedLuns, ARepairedLunIsTheOneWhoseWorkWaitedMostWhateverTheScoresSay) {
  for (const std::size_t lun : {4U, 5U, 7U}) {
    Seen neighbour = primary(lun);
    neighbour.strength = 9;
    neighbour.own = 150;
    see(neighbour);
  }
  Seen repaired = primary(6);
  repaired.own = 200;
  see(repaired);
  see({"x.4.4", "await", 64, 4000, 12, 300, "bias"});
  EXPECT_THAT(names(found()), ElementsAre("x-l6 reconstruction"));
}

TEST_F(SharedLuns, WhoWaitsFarLongerThanAllOthersOfAnArrayIsRepaired) {
  const auto see_all = [&](double wait_of_six) {
    for (std::size_t lun = 0; lun < 32; ++lun) {
      Seen slow = primary(lun);
      slow.confirmed = lun == 6;
      slow.metric = "r_await";
      slow.wait = lun == 6 ? wait_of_six : 110;
      see(slow);
    }
  };
  see_all(131);
  const auto incidents = found();
  ASSERT_THAT(names(incidents), ElementsAre("x-l6 reconstruction"));
  EXPECT_EQ(incidents[0].components.size(), 32U);
}

TEST_F(SharedLuns, WhoWaitsAsLongAsTheOthersOfAnArrayIsNotSingledOut) {
  for (std::size_t lun = 0; lun < 32; ++lun) {
    Seen slow = primary(lun);
    slow.wait = lun == 6 ? 128 : 110;
    see(slow);
  }
  EXPECT_THAT(names(found()), ElementsAre("x drawer-errors"));
}

TEST_F(SharedLuns, WhoIsDwarfedByARepairedLunGoesWithIt) {
  for (const std::size_t lun : {4U, 5U}) see(primary(lun));
  Seen repaired = primary(6, 32);
  repaired.strength = 9;
  repaired.wait = 190;
  see(repaired);
  Seen little = primary(9, 256);
  little.wait = 130;
  see(little);
  Seen much = primary(21, 400);
  much.wait = 131;
  see(much);
  EXPECT_THAT(names(found()), UnorderedElementsAre("x-l6 reconstruction", "x-l21 slow-lun"))
      << "three times as long is the limit";
}

TEST_F(SharedLuns, WhenAllOthersOfItsControllerWaitALittleItIsRepaired) {
  Seen repaired = primary(5);
  repaired.neighbours_wait = 7;
  see(repaired);
  Seen slow = primary(6);
  slow.neighbours_wait = 3;
  see(slow);
  EXPECT_THAT(names(found()), UnorderedElementsAre("x-l5 reconstruction", "x-l6 slow-lun"));
}

TEST_F(SharedLuns, WhatMovesMoreForAMomentHasNoWorkOfItsOwn) {
  see(primary(5, 64, 2000));
  Seen moment = primary(5, 64, 256);
  moment.metric = "rd_sec";
  moment.own = 300;
  moment.strength = 9;
  see(moment);
  EXPECT_THAT(names(found()), ElementsAre("x-l5 slow-lun"));
}

TEST_F(SharedLuns, WhereReadsAreKnownTheyTellWhatComesAndGoes) {
  see_by_turns(5, 5);
  Seen reads = primary(5, 64, 1792);
  reads.metric = "r_await";
  see(reads);
  EXPECT_THAT(names(found()), ElementsAre("x-l5 slow-lun")) << "writes hid it in between";
}

TEST_F(SharedLuns, ALunThatIsWellBetweenItsFindingsComesAndGoes) {
  see_by_turns(5, 5);
  EXPECT_THAT(names(found()), ElementsAre("x-l5 oscillation"));
}

TEST_F(SharedLuns, TwoLongPausesAreEnoughAndOneIsNot) {
  see_by_turns(5, 3, 3);
  see_by_turns(6, 3, 2);
  EXPECT_THAT(names(found()), UnorderedElementsAre("x-l5 oscillation", "x-l6 slow-lun"));
}

TEST_F(SharedLuns, ALunWhosePausesAreEverybodysDoesNotComeAndGo) {
  see_by_turns(5, 1);
  EXPECT_THAT(names(found()), ElementsAre("x-l5 slow-lun"));
}

TEST_F(SharedLuns, WhatTwoDistancesSeeAreNotTwiceAsManyPauses) {
  for (const std::int64_t first : {64, 512}) {
    for (const char* detector : {"cdf", "median"}) {
      const std::int64_t later = first + (detector == std::string_view("cdf") ? 0 : 224);
      Seen slow = primary(5, later, later + 160);
      slow.detector = detector;
      slow.normal_since = 5;
      see(slow);
    }
  }
  EXPECT_THAT(names(found()), ElementsAre("x-l5 slow-lun"));
}

TEST_F(SharedLuns, AShortTroubleTakesNoLongOneWithIt) {
  Seen strong = primary(6, 64, 256);
  strong.strength = 9;
  see(strong);
  see({"x.6.6", "await", 64, 4000, 2, 100, "bias"});
  see(primary(4, 96, 4000));
  see(primary(5, 96, 4000));
  EXPECT_THAT(names(found()), UnorderedElementsAre("x-l6 slow-lun", "x-l4 slow-lun", "x-l5 slow-lun"))
      << "what bias says goes on for as long as its horizon";
}

TEST_F(SharedLuns, AShortCoincidenceMakesNoRepair) {
  Seen strong = primary(6, 64, 6400);
  strong.strength = 9;
  see(strong);
  see(primary(4, 640, 960));
  see(primary(5, 640, 960));
  EXPECT_THAT(names(found()), UnorderedElementsAre("x-l6 slow-lun", "x-l4 slow-lun", "x-l5 slow-lun"));
}

TEST_F(SharedLuns, LunsThatBecomeSlowAtDifferentTimesAreNotRepaired) {
  see(primary(4, 64, 2000));
  see(primary(5, 700, 2000));
  see(primary(6, 1400, 2000));
  EXPECT_THAT(names(found()), ElementsAre("x-l4 slow-lun", "x-l5 slow-lun", "x-l6 slow-lun"));
}

TEST_F(SharedLuns, TwoProblemsAtOnceOfOneArray) {
  lose({2}, 0, all);
  see(primary(5));
  EXPECT_THAT(names(found()), UnorderedElementsAre("x-s2 service-down", "x-l5 slow-lun"));
}

TEST_F(SharedLuns, WhatWentBeforeDoesNotMoveTheBeginning) {
  lose({2}, 0, all, 6400);
  see({"x.2.2", "await", 64, 256});
  for (Incident& incident : found()) {
    if (incident.blame.name != "x-s2") continue;
    EXPECT_EQ(incident.since, at(6400));
  }
}

TEST_F(SharedLuns, SeveralThatAreOnlySuspectedConfirmEachOther) {
  for (const std::size_t lun : {2U, 10U, 18U, 26U}) {
    Seen suspected = primary(lun);
    suspected.confirmed = false;
    suspected.growth = {{at(128), 10, 1}, {at(160), 15, 2}, {at(192), 20, 3}};
    see(suspected);
  }
  IncidentOptions production = kLab;
  production.confirm_persistence = 100;
  const auto together = incidents(seen(), production);
  ASSERT_EQ(together.size(), 1U);
  EXPECT_EQ(together[0].blame.name, "x-s2");
  EXPECT_EQ(together[0].state, IncidentState::kConfirmed);
  EXPECT_EQ(together[0].confirmed_since, at(160)) << "four times 15 reach 60";
  EXPECT_EQ(together[0].faulty_since, at(128)) << "four times 10 reach 6";
}

}  // namespace
}  // namespace laggard::explain
