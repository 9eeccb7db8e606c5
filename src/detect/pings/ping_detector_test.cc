#include "detect/pings/ping_detector.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "testing/grouping.h"

namespace laggard::detect {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing_support::GroupingBuilder;

constexpr WallTime kStart = from_unix_ns(1'800'000'000'000'000'000);

/// Three operations a minute from each of some clients to each of some targets, with the outcome that a
/// function says.
class Probes {
 public:
  using Outcome =
      std::function<std::string_view(std::string_view client, std::string_view target, int minute)>;

  Probes(const Grouping& grouping, std::vector<std::string> clients, std::vector<std::string> targets)
      : clients_(std::move(clients)), targets_(std::move(targets)), detector_({grouping, 30s}) {}

  void run(int from, int to, const Outcome& outcome) {
    for (int minute = from; minute < to; ++minute) {
      const WallTime begin = kStart + minute * 60s;
      for (const std::string& client : clients_) {
        EventTable events(client, "ping");
        for (const std::string& target : targets_) {
          for (const char* operation : {"CrWr", "WrEx", "RmEx"}) {
            add(events, begin, operation, target, outcome(client, target, minute));
          }
        }
        detector_.take(events);
      }
      detector_.complete(begin + 30s);
      detector_.complete(begin + 60s);
    }
  }
  [[nodiscard]] PingDetector& detector() { return detector_; }
  [[nodiscard]] std::vector<std::string> confirmed() const {
    return found([](const Finding& finding) { return finding.confirmed(); });
  }
  [[nodiscard]] std::vector<std::string> found(const std::function<bool(const Finding&)>& is_wanted =
                                                   [](const Finding&) { return true; }) const {
    std::vector<std::string> names;
    for (const Finding& finding : detector_.findings()) {
      if (!is_wanted(finding)) continue;
      names.push_back(std::string(to_name(finding.part.kind)) + " " + finding.part.name);
    }
    return names;
  }

 private:
  static void add(EventTable& events, WallTime begin, std::string_view operation, const std::string& target,
                  std::string_view what) {
    EventTable::Event event;
    event.time = begin;
    event.subject = events.intern(target).value();
    event.what = events.intern(what).value();
    if (what == "ok") event.duration = 3ms;
    if (what == "slow") event.duration = 1500ms;
    events.append(event);
    const std::size_t column = events.attribute("operation", AttributeForm::kWord).value();
    events.set(column, events.intern(operation).value());
    if (what == "error") {
      events.set(events.attribute("error", AttributeForm::kWord).value(), events.intern("EIO").value());
    }
  }

  std::vector<std::string> clients_;
  std::vector<std::string> targets_;
  PingDetector detector_;
};

std::string_view well(std::string_view, std::string_view, int) { return "ok"; }
Probes::Outcome sick(std::string_view what, std::string_view target, std::string_view outcome = "timeout") {
  return [=](std::string_view client, std::string_view of, int) {
    return client == what || of == target ? outcome : "ok";
  };
}

class PingDetectorTest : public testing::Test {
 protected:
  PingDetectorTest() { system_.servers(3, 2, true); }
  GroupingBuilder system_;
};

TEST_F(PingDetectorTest, ASuspicionIsSurerWhereAllFailedAndLessSoWhenItIsOver) {
  const auto posterior = [&](const Probes::Outcome& outcome, bool is_over) {
    Probes probes(system_.get(), {"c1", "c2", "c3", "c4", "c5", "c6"}, {"s1/d1", "s1/d2", "s2/d1", "s2/d2"});
    probes.run(0, 6, well);
    probes.run(6, 7, outcome);
    if (is_over) probes.run(7, 13, well);
    const std::vector<Finding> findings = probes.detector().findings();
    EXPECT_THAT(findings, SizeIs(1));
    EXPECT_FALSE(findings.at(0).confirmed());
    EXPECT_EQ(findings.at(0).open, !is_over);
    return findings.at(0).fact(kPosterior)->own;
  };
  const Probes::Outcome partly = [](std::string_view client, std::string_view target, int) {
    return target == "s1/d2" && client < "c5" ? "timeout" : "ok";
  };
  const double wholly_open = posterior(sick("", "s1/d2"), false);
  const double wholly_over = posterior(sick("", "s1/d2"), true);
  const double partly_open = posterior(partly, false);
  const double partly_over = posterior(partly, true);
  EXPECT_GT(wholly_open, wholly_over);
  EXPECT_GT(wholly_over, partly_open);
  EXPECT_GT(partly_open, 2 * partly_over);
}

TEST_F(PingDetectorTest, ATargetThatHangsIsFoundWithinAMinuteAndIsOverWhenItAnswers) {
  Probes probes(system_.get(), {"c1", "c2"}, {"s1/d1", "s1/d2", "s2/d1", "s2/d2"});
  probes.run(0, 6, well);
  EXPECT_THAT(probes.found(), IsEmpty());
  probes.run(6, 7, sick("", "s1/d2"));
  ASSERT_THAT(probes.found(), testing::ElementsAre("disk s1/d2"));
  Finding finding = probes.detector().findings().front();
  EXPECT_TRUE(finding.open);
  EXPECT_EQ(finding.since, kStart + 360s);
  EXPECT_EQ(finding.faulty_since, kStart + 390s);
  EXPECT_EQ(finding.symptom, Symptom::kSlower);
  EXPECT_LT(finding.fact(kPosterior)->own, 0.98) << "it may be over in a minute";
  EXPECT_EQ(finding.fact(kFailedProbes)->own, 6);
  probes.run(7, 10, sick("", "s1/d2"));
  finding = probes.detector().findings().front();
  EXPECT_TRUE(finding.confirmed());
  EXPECT_GT(finding.fact(kPosterior)->own, 0.99);
  ASSERT_THAT(finding.evidence.payloads, SizeIs(3 + 3)) << "and the times of three operations";
  const auto& grid = std::get<GridPayload>(finding.evidence.payloads[1].shape);
  EXPECT_THAT(grid.rows, testing::ElementsAre("c1", "c2"));
  EXPECT_THAT(grid.columns, testing::ElementsAre("s1/d1", "s1/d2", "s2/d1", "s2/d2"));
  EXPECT_GT(grid.values[1], 0);
  EXPECT_EQ(grid.values[0] + grid.values[2] + grid.values[3], 0) << "elsewhere nothing failed";
  const auto& served = std::get<RankedPayload>(finding.evidence.payloads[2].shape);
  EXPECT_EQ(served.entries.front().name, "disk s1/d2");
  EXPECT_LT(served.entries.front().high, 90);
  EXPECT_LT(served.entries.front().low, served.entries.front().own);
  probes.run(10, 16, well);
  ASSERT_THAT(probes.found(), SizeIs(1));
  finding = probes.detector().findings().front();
  EXPECT_FALSE(finding.open);
  EXPECT_EQ(finding.until, kStart + 9 * 60s) << "the last one that failed";
  probes.detector().forget(std::array<std::uint8_t, 1>{0});
  EXPECT_EQ(probes.detector().kept(), 0U);
}

TEST_F(PingDetectorTest, TimesAreShownByOperationBesideThoseElsewhere) {
  Probes probes(system_.get(), {"c1", "c2"}, {"s1/d1", "s1/d2", "s2/d1", "s2/d2"});
  probes.run(0, 3, sick("", "s1/d2", "slow"));
  ASSERT_THAT(probes.found(), testing::ElementsAre("disk s1/d2"));
  const std::vector<Payload> payloads = probes.detector().findings().front().evidence.payloads;
  ASSERT_THAT(payloads, SizeIs(3 + 3));
  EXPECT_EQ(payloads[3].title, "time of CrWr that were done");
  const auto& times = std::get<DistributionPayload>(payloads[3].shape);
  ASSERT_THAT(times.samples, SizeIs(2));
  EXPECT_EQ(times.samples[0].name, "s1/d2");
  EXPECT_THAT(times.samples[0].sorted, testing::Each(1500));
  EXPECT_EQ(times.samples[1].name, "others");
  EXPECT_THAT(times.samples[1].sorted, testing::Each(3));
}

TEST(PingPictures, OfManyTargetsThoseThatFailAreShown) {
  PingShares shares;
  for (int target = 0; target < 500; ++target) shares[{"c1", "ost" + std::to_string(target)}] = {10, 0};
  shares[{"c1", "ost77"}].failures = 5;
  shares[{"c2", "ost77"}] = {0, 0};
  const GridPayload grid = failed_shares(shares);
  EXPECT_THAT(grid.rows, testing::ElementsAre("c1", "c2"));
  EXPECT_THAT(grid.columns, SizeIs(kMostGridColumns));
  const auto at = std::ranges::find(grid.columns, "ost77") - grid.columns.begin();
  ASSERT_LT(at, std::ssize(grid.columns));
  EXPECT_EQ(grid.values[static_cast<std::size_t>(at)], 50);
  EXPECT_TRUE(std::isnan(grid.values[kMostGridColumns + static_cast<std::size_t>(at)])) << "nobody asked";
}

TEST_F(PingDetectorTest, WhatTwoTargetsShareIsFoundInsteadOfThem) {
  Probes probes(system_.get(), {"c1", "c2"}, {"s1/d1", "s1/d2", "s2/d1", "s2/d2"});
  probes.run(0, 6, [](std::string_view, std::string_view target, int) {
    return target.starts_with("s1/") ? "timeout" : "ok";
  });
  EXPECT_THAT(probes.found(), testing::ElementsAre("server s1"));
}

TEST_F(PingDetectorTest, BothDisksOfAPairOfServersAreToldOfAndNotThePair) {
  GroupingBuilder pairs;
  const std::vector<std::string> luns{"l0", "l1", "l2", "l3", "l4", "l5"};
  for (std::size_t l = 0; l < luns.size(); ++l) {
    pairs.lun(luns[l], "controller", "array", {"s" + std::to_string(l), "s" + std::to_string(l ^ 1U)});
  }
  Probes probes(pairs.get(), {"c1", "c2", "c3"}, luns);
  probes.run(0, 6, [](std::string_view, std::string_view target, int minute) {
    return minute > 0 && (target == "l2" || target == "l3") ? "timeout" : "ok";
  });
  EXPECT_THAT(probes.confirmed(), testing::UnorderedElementsAre("lun l2", "lun l3"));
}

TEST_F(PingDetectorTest, AClientThatFailsEverywhereIsTheOneThatIsSick) {
  Probes probes(system_.get(), {"c1", "c2", "c3"}, {"s1/d1", "s1/d2", "s2/d1"});
  probes.run(0, 6, sick("c2", "", "error"));
  ASSERT_THAT(probes.found(), testing::ElementsAre("client c2"));
  const Finding finding = probes.detector().findings().front();
  EXPECT_EQ(finding.symptom, Symptom::kError);
  const auto& how = std::get<RankedPayload>(finding.evidence.payloads.front().shape);
  EXPECT_THAT(how.entries, SizeIs(3));
  EXPECT_THAT(how.entries.front().name, HasSubstr("EIO"));
}

TEST_F(PingDetectorTest, AClientThatLimpsIsSickAndNotWhatItAloneProbes) {
  GroupingBuilder many;
  std::vector<std::string> targets;
  for (int t = 1; t <= 200; ++t) targets.push_back(fmt::format("s{}/d1", t));
  many.servers(200, 1, true);
  // Chance fails a target of its own more often than others, or always.
  // All three operations of a minute alike: by chance some targets fail more often than others.
  const auto limps = [](std::string_view client, std::string_view target, int minute) {
    if (client == "c1") return target == "s1/d1" ? "ok" : "skipped";
    const std::size_t draw = std::hash<std::string>{}(fmt::format("{}{}", target, minute));
    return draw % 4 < 3 ? "slow" : "ok";
  };
  Probes probes(many.get(), {"c1", "c2"}, targets);
  probes.run(0, 6, limps);
  EXPECT_THAT(probes.confirmed(), ElementsAre("client c2"));
}

TEST_F(PingDetectorTest, WhatEverybodyHasIsNobodys) {
  const std::vector<std::string> clients{"c1", "c2", "c3", "c4"};
  const std::vector<std::string> targets{"s1/d1", "s1/d2", "s2/d1", "s2/d2", "s3/d1", "s3/d2"};
  // Every third probe, turn by turn: chance would now and then give one part more than its share.
  const auto overloaded = [](std::string_view client, std::string_view target, int minute) {
    const int turn = client.back() + 2 * target[1] + target.back() + minute;
    return turn % 3 == 0 ? "slow" : "ok";
  };
  Probes probes(system_.get(), clients, targets);
  probes.run(0, 10, overloaded);
  EXPECT_THAT(probes.confirmed(), IsEmpty());
  EXPECT_THAT(probes.detector().shared_symptoms(), ElementsAre(HasSubstr("240 of 720 probes failed")));
  Probes one_besides(system_.get(), clients, targets);
  one_besides.run(0, 10, [&](std::string_view client, std::string_view target, int minute) {
    return target == "s2/d1" ? "timeout" : overloaded(client, target, minute);
  });
  EXPECT_THAT(one_besides.confirmed(), Each(HasSubstr("s2"))) << "or its server, as long as little is known";
  EXPECT_THAT(one_besides.confirmed(), Contains("disk s2/d1"));
  Probes one_client(system_.get(), clients, targets);
  one_client.run(0, 6, sick("c2", "", "slow"));
  EXPECT_THAT(one_client.found(), ElementsAre("client c2"));
  EXPECT_THAT(one_client.detector().shared_symptoms(), IsEmpty());
}

TEST_F(PingDetectorTest, PartsThatTheseProbesCannotTellApartAreNamed) {
  Probes probes(system_.get(), {"c1"}, {"s1/d1", "s2/d1", "s3/d1", "unheard-of"});
  probes.run(0, 6, sick("", "s3/d1"));
  ASSERT_THAT(probes.found(), testing::ElementsAre("disk s3/d1"));
  EXPECT_THAT(probes.detector().findings().front().evidence.note, HasSubstr("cannot tell it from server s3"));
  EXPECT_THAT(probes.detector().findings().front().evidence.alike,
              testing::ElementsAre(Part{PartKind::kServer, "s3"}));
  Probes unknown(system_.get(), {"c1"}, {"s1/d1", "s2/d1", "s3/d1", "unheard-of"});
  unknown.run(0, 6, sick("", "unheard-of"));
  EXPECT_THAT(unknown.found(), testing::ElementsAre("target unheard-of"));
  Probes by_name(system_.get(), {"c1"}, {"s1/d1", "s9/sda", "s9/sdb"});
  by_name.run(0, 6, [](std::string_view, std::string_view target, int) {
    return target.starts_with("s9/") ? "timeout" : "ok";
  });
  EXPECT_THAT(by_name.found(), testing::ElementsAre("server s9"));
}

TEST_F(PingDetectorTest, AFewStrayFailuresAreNobodysFault) {
  Probes probes(system_.get(), {"c1", "c2"}, {"s1/d1", "s1/d2", "s2/d1", "s2/d2"});
  int probe = 0;
  probes.run(0, 60, [&](std::string_view, std::string_view, int) {
    return ++probe % 97 == 0 ? "slow" : "ok";  // One in a hundred, as on Blue Waters (K §IV-A).
  });
  EXPECT_THAT(probes.found(), IsEmpty());
}

TEST_F(PingDetectorTest, FailuresThatAccuseNobodySpeakAgainstWhomOthersSuspect) {
  std::vector<std::string> clients;
  for (int c = 1; c <= 16; ++c) clients.push_back("c" + std::to_string(c));
  const Grouping grouping = system_.get();
  Probes probes(grouping, clients, {"s1/d1", "s1/d2", "s2/d1", "s2/d2"});
  probes.run(0, 1, well);
  probes.run(1, 10, [](std::string_view client, std::string_view target, int minute) {
    const bool fails =
        client == "c" + std::to_string(minute % 16 + 1) && target == (minute % 2 == 0 ? "s1/d1" : "s1/d2");
    return fails ? "timeout" : "ok";
  });
  EXPECT_THAT(probes.found(), IsEmpty());
  const auto about = [&](const std::string& server) {
    const Part part{PartKind::kServer, server};
    Suspicion suspicion;
    suspicion.suspect = part;
    suspicion.parts = {part};
    suspicion.interval = {kStart + 5min, kStart + 10min};
    return suspicion;
  };
  const std::vector<Evidence> evidence = probes.detector().examine(about("s1"));
  ASSERT_THAT(evidence, SizeIs(1));
  EXPECT_EQ(evidence[0].note, "15 of 480 probes through it failed, and 0 of 480 that do not pass it");
  EXPECT_THAT(probes.detector().examine(about("s2")), IsEmpty());
  EXPECT_THAT(probes.detector().examine(about("s3")), IsEmpty()) << "it was not probed";
}

TEST_F(PingDetectorTest, WhomAFindingAccusesIsNotTalkedAboutTwice) {
  const Grouping grouping = system_.get();
  Probes probes(grouping, {"c1", "c2"}, {"s1/d1", "s1/d2", "s2/d1", "s2/d2"});
  probes.run(0, 6, well);
  probes.run(6, 8, sick("", "s1/d2"));
  ASSERT_THAT(probes.found(), testing::ElementsAre("disk s1/d2"));
  Suspicion suspicion;
  suspicion.suspect = {PartKind::kDisk, "s1/d2"};
  suspicion.parts = {suspicion.suspect};
  suspicion.interval = {kStart + 6min, kStart + 8min};
  EXPECT_THAT(probes.detector().examine(suspicion), IsEmpty());
}

TEST_F(PingDetectorTest, WhatWasSkippedOrHasTimedOutBeforeIsNotCounted) {
  PingDetector detector({system_.get(), 30s});
  EventTable events("c1", "ping");
  const Word target = events.intern("s1/d1").value();
  for (int i = 0; i < 10; ++i) events.append({kStart + i * 1s, {}, target, events.intern("skipped").value()});
  for (int i = 0; i < 10; ++i) {
    events.append({kStart + 10s + i * 1s, 20s, target, events.intern("slow").value()});
    events.set(events.attribute("timed_out", AttributeForm::kInteger).value(), std::int64_t{1});
  }
  detector.take(events);
  detector.complete(kStart + 30s);
  EXPECT_THAT(detector.findings(), IsEmpty());
  EXPECT_THAT(detector.paths(), IsEmpty());
}

TEST_F(PingDetectorTest, TellsOfHealthyPathsToo) {
  Probes probes(system_.get(), {"c1", "c2"}, {"s1/d1", "s2/d1"});
  probes.run(0, 10, sick("", "s1/d1"));
  const auto paths = probes.detector().paths();
  ASSERT_THAT(paths, SizeIs(8)) << "with and without names";
  std::uint64_t trials = 0;
  std::uint64_t failures = 0;
  for (const PathEvidence& path : paths) {
    trials += path.trials;
    EXPECT_EQ(path.window.to - path.window.from, 300s);
    EXPECT_THAT(path.hops, SizeIs(3)) << "disk, server, client";
    failures += path.failures;
  }
  EXPECT_EQ(trials, 60U) << "of five minutes";
  EXPECT_EQ(failures, 30U);
}

TEST(PingPaths, RequestsGoToTheFirstServerOfALunAndAllStandByTogether) {
  GroupingBuilder system;
  system.array("a", 4, 4);
  const auto hops = PingPaths(system.get()).of({"c1", "a-l0"});
  std::vector<PingHop> servers;
  std::ranges::copy_if(hops, std::back_inserter(servers),
                       [](const PingHop& hop) { return hop.parts.front().kind == PartKind::kServer; });
  ASSERT_THAT(servers, SizeIs(2));
  EXPECT_THAT(servers[0].parts, SizeIs(1));
  EXPECT_THAT(servers[1].parts, SizeIs(4));
  EXPECT_EQ(servers[1].sharing, stats::PathHop::Sharing::kStandby);
  EXPECT_EQ(hops.back().parts.front(), (Part{PartKind::kClient, "c1"}));
}

TEST(PingPaths, OnlyWhoMakesNamesPassesMetadataServersAndOnlyWhoIsRoutedRouters) {
  GroupingBuilder builder;
  builder.array("a", 4, 4);
  Grouping system = builder.get();
  const auto servers_of = [&](const PingPair& pair) {
    std::vector<std::string> names;
    for (const PingHop& hop : PingPaths(system).of(pair)) {
      for (const Part& part : hop.parts) {
        if (part.kind == PartKind::kMetadataServer || part.kind == PartKind::kRouter)
          names.push_back(part.name);
      }
    }
    return names;
  };
  for (const char* name : {"m1", "m2", "m3"}) system.parts.add({PartKind::kMetadataServer, name});
  EXPECT_THAT(servers_of({"c1", "a-l0", false}), IsEmpty());
  EXPECT_THAT(servers_of({"c1", "a-l0"}), testing::ElementsAre("m1", "m2", "m3"));
  EXPECT_THAT(servers_of({"c1", "m2"}), testing::ElementsAre("m2"));
  system.sets = {{"a-l0", "home"}, {"m3", "home"}, {"m1", "scratch"}};
  EXPECT_THAT(servers_of({"c1", "a-l0"}), testing::ElementsAre("m3"));
  system.routes = {{.clients = {"c1"}, .servers = {"m2"}, .over = {{PartKind::kRouter, "r1"}}}};
  EXPECT_THAT(servers_of({"c1", "m2"}), testing::ElementsAre("m2", "r1"));
  EXPECT_THAT(servers_of({"c2", "m2"}), testing::ElementsAre("m2"));
}

}  // namespace
}  // namespace laggard::detect
