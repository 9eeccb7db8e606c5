#include "detect/peer/skew/clock_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/missing.h"
#include "testing/samples.h"
#include "testing/script/script.h"

// From samples to what is said of clocks: the whole way, on simulated file systems.

namespace laggard::detect {
namespace {
using ::testing::ElementsAre;

std::vector<int> moves_of(const std::vector<double>& series, double least = 0.25) {
  Moves moves(1, least);
  std::vector<int> out;
  for (const double x : series) {
    std::int8_t move = 0;
    moves.take(std::span(&x, 1), std::span(&move, 1));
    out.push_back(move);
  }
  return out;
}

TEST(Moves, AreUpDownOrNotToSpeakOf) {
  EXPECT_THAT(moves_of({10, 20, 12, 13, 12, 12}), ElementsAre(0, 1, -1, 0, 0, 0));
  EXPECT_THAT(moves_of({10, 20, 12, 13, 12, 12}, 0), ElementsAre(0, 1, -1, 1, -1, 0));
}

TEST(Moves, AConstantNeverMoves) { EXPECT_THAT(moves_of({7, 7, 7, 7}), ElementsAre(0, 0, 0, 0)); }

TEST(Moves, WhatIsMissingIsNoMoveNorWhatFollowsIt) {
  EXPECT_THAT(moves_of({1, kMissing, 5, 9, kMissing, kMissing, 1}), ElementsAre(0, 0, 0, 1, 0, 0, 0));
}

TEST(Moves, AreNotTakenAcrossGaps) {
  Moves moves(1, 0.25);
  std::int8_t move = 0;
  for (const double x : {1.0, 5.0}) moves.take(std::span(&x, 1), std::span(&move, 1));
  EXPECT_EQ(move, 1);
  moves.forget_last();
  const double after = 1;
  moves.take(std::span(&after, 1), std::span(&move, 1));
  EXPECT_EQ(move, 0);
}

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

script::System busy_system(double length = 600) {
  script::System system;
  system.servers = 8;
  system.length = length;
  return system;
}

Diagnosis diagnose(const script::System& system, std::string_view preset = "quick") {
  return script::diagnose(*script::record(system, preset));
}

Clocks clocks_of(const script::System& system, std::string_view preset = "quick") {
  return diagnose(system, preset).coverage.clocks;
}

TEST(ClockWatch, HealthyHostsAgree) {
  const Clocks clocks = clocks_of(busy_system());
  EXPECT_EQ(clocks.agree, 8U);
  EXPECT_TRUE(clocks.skewed.empty());
  EXPECT_THAT(clocks.unknown, IsEmpty());
}

TEST(ClockWatch, FindsTheClockThatIsOffWithItsSign) {
  for (const int by : {-40, -15, -3, 3, 15, 40}) {
    script::System system = busy_system();
    system.faults.push_back({"clock", "s4", "", 0, 1e9, static_cast<double>(by)});
    const Clocks clocks = clocks_of(system);
    ASSERT_EQ(clocks.skewed.size(), 1U) << by;
    EXPECT_EQ(clocks.skewed[0].host, "s4");
    EXPECT_EQ(clocks.skewed[0].ahead, seconds(by));
    EXPECT_EQ(clocks.skewed[0].error, std::chrono::milliseconds(500));
    EXPECT_GT(clocks.skewed[0].correlation, 2 * clocks.skewed[0].unmoved);
    EXPECT_EQ(clocks.agree, 7U);
  }
}

TEST(ClockWatch, FindsItInSamplesOfFifteenSeconds) {
  for (const int samples : {-5, -2, 2, 3, 5}) {
    script::System system = busy_system(6 * 3600);
    system.interval = 15;
    system.faults.push_back({"clock", "s4", "", 0, 1e9, 15.0 * samples});
    const Clocks clocks = clocks_of(system, "production");
    ASSERT_EQ(clocks.skewed.size(), 1U) << samples;
    EXPECT_EQ(clocks.skewed[0].host, "s4");
    EXPECT_EQ(clocks.skewed[0].ahead, seconds(15 * samples));
  }
}

TEST(ClockWatch, SeveralAtOnce) {
  script::System system = busy_system();
  system.faults.push_back({"clock", "s2", "", 0, 1e9, 20});
  system.faults.push_back({"clock", "s5", "", 0, 1e9, -6});
  const Clocks clocks = clocks_of(system);
  ASSERT_EQ(clocks.skewed.size(), 2U);
  EXPECT_EQ(clocks.skewed[0].ahead, seconds(20));
  EXPECT_EQ(clocks.skewed[1].ahead, seconds(-6));
}

TEST(ClockWatch, AClockThatIsSetRightIsOffUntilThen) {
  script::System system = busy_system(1200);
  system.faults.push_back({"clock", "s4", "", 0, 600, 12});
  const Clocks clocks = clocks_of(system);
  ASSERT_EQ(clocks.skewed.size(), 1U);
  EXPECT_EQ(clocks.skewed[0].ahead, seconds(12));
  EXPECT_NEAR(to_seconds(clocks.skewed[0].to - script::Simulator::start()), 610, 40);
}

TEST(ClockWatch, LostSamplesRebootsAndSickDisksAreNoClocks) {
  for (const char* kind : {"lossy", "reboot", "slow", "stall", "hog", "silent", "absent", "jam"}) {
    script::System system = busy_system();
    const double by = std::string(kind) == "lossy" ? 5 : 3;
    system.faults.push_back({kind, "s4", "", 200, 400, by});
    const Clocks clocks = clocks_of(system);
    EXPECT_TRUE(clocks.skewed.empty()) << kind;
    EXPECT_GE(clocks.agree, 7U) << kind;
  }
}

TEST(ClockWatch, LostSamplesDoNotHideASkew) {
  script::System system = busy_system();
  system.faults.push_back({"clock", "s4", "", 0, 1e9, 9});
  system.faults.push_back({"lossy", "s4", "", 0, 1e9, 6});
  system.faults.push_back({"reboot", "s4", "", 300, 360, 1});
  const Clocks clocks = clocks_of(system);
  ASSERT_FALSE(clocks.skewed.empty());
  for (const ClockSkew& skew : clocks.skewed) EXPECT_EQ(skew.ahead, seconds(9));
}

TEST(ClockWatch, OfIdleAndOfShortRecordingsNothingIsSaid) {
  script::System system = busy_system(30);
  system.faults.push_back({"clock", "s4", "", 0, 1e9, 5});
  EXPECT_TRUE(clocks_of(system).skewed.empty());
  system = busy_system(900);
  system.writes = 0;
  const Clocks idle = clocks_of(system);
  EXPECT_EQ(idle.agree, 0U);
  EXPECT_TRUE(idle.skewed.empty());
}

TEST(ClockWatch, TwoHostsAreTooFew) {
  script::System system = busy_system();
  system.servers = 2;
  const Clocks clocks = clocks_of(system);
  EXPECT_EQ(clocks.agree + clocks.unknown.size() + clocks.skewed.size(), 0U);
}

TEST(ClockWatch, WithoutReachNothingIsLookedAt) {
  const auto recording = script::record(busy_system(), "quick");
  recording->pipeline.parameters.clocks.reach = 0;
  const Clocks clocks = script::diagnose(*recording).coverage.clocks;
  EXPECT_EQ(clocks.agree + clocks.unknown.size() + clocks.skewed.size(), 0U);
}

TEST(ClockWatch, IncidentsOfSkewedHostsSaySo) {
  script::System system = busy_system();
  system.faults.push_back({"clock", "s4", "", 0, 1e9, -15});
  system.faults.push_back({"slow", "s4", "", 200, 500, 4});
  system.faults.push_back({"slow", "s7", "", 200, 500, 4});
  const Diagnosis diagnosis = diagnose(system, "lab");
  ASSERT_GE(diagnosis.incidents.size(), 2U);
  for (const Incident& incident : diagnosis.incidents) {
    const auto mark = HasSubstr("; mind that the clock of s4 is 15s behind its peers'");
    if (incident.blame.name.starts_with("s4")) {
      EXPECT_THAT(incident.why, mark);
    } else {
      EXPECT_THAT(incident.why, Not(mark));
    }
  }
}

/// Sixty healthy systems, 540 hosts, of all sorts: steady ones, light ones, with clients, in seconds and in
/// quarters of a minute.
TEST(ClockWatch, OfManyHealthyHostsNoneIsOff) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    script::System system;
    system.servers = 3 + seed % 13;
    system.clients = seed % 4 == 0 ? 3 : 0;
    system.disks = 1 + seed % 3;
    system.reads = seed % 3 == 0 ? 100 : 0;
    system.writes = seed % 3 == 1 ? 5 : 150;
    system.length = 120 + 60 * static_cast<double>(seed % 9);
    system.seed = seed;
    EXPECT_TRUE(clocks_of(system, seed % 2 == 0 ? "lab" : "quick").skewed.empty()) << seed;
  }
}

}  // namespace
}  // namespace laggard::detect
