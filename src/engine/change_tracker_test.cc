#include "engine/change_tracker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>

namespace laggard::engine {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

WallTime at(std::int64_t s) { return from_unix_ns(1'700'000'000'000'000'000) + seconds(s); }

Incident incident(const std::string& name, std::int64_t since, std::int64_t seen_until) {
  Incident incident;
  incident.id = name + "-slower-" + std::to_string(since);
  incident.blame = {PartKind::kDisk, name};
  incident.cause = "slow-disk";
  incident.components = {name};
  incident.since = at(since);
  incident.seen_until = at(seen_until);
  incident.status = IncidentStatus::kOpen;
  return incident;
}

Incident over(Incident incident) {
  incident.status = IncidentStatus::kClosed;
  incident.until = incident.seen_until;
  return incident;
}

Incident confirmed(Incident incident) {
  incident.state = IncidentState::kConfirmed;
  return incident;
}

std::vector<std::string> told(const std::vector<Change>& changes) {
  std::vector<std::string> lines;
  for (const Change& change : changes) {
    std::string line =
        std::to_string(change.number) + " " + std::string(to_name(change.kind)) + " " + change.incident.id;
    if (!change.into.empty()) line += " into " + change.into;
    lines.push_back(std::move(line));
  }
  return lines;
}

TEST(ChangeTracker, TellsTheLifeOfAnIncident) {
  ChangeTracker tracker({.closed_after = minutes(5)});
  EXPECT_THAT(told(tracker.update({}, at(0))), IsEmpty());
  EXPECT_THAT(told(tracker.update({incident("a", 10, 60)}, at(60))), ElementsAre("1 opened a-slower-10"));
  EXPECT_THAT(told(tracker.update({incident("a", 10, 90)}, at(90))), IsEmpty())
      << "it goes on, which is no change";
  EXPECT_THAT(told(tracker.update({confirmed(incident("a", 10, 120))}, at(120))),
              ElementsAre("2 confirmed a-slower-10"));
  Incident wider = confirmed(incident("a", 10, 150));
  wider.components.push_back("b");
  EXPECT_THAT(told(tracker.update({wider}, at(150))), ElementsAre("3 grew a-slower-10"));
  wider.seen_until = at(150);
  EXPECT_THAT(told(tracker.update({over(wider)}, at(200))), ElementsAre("4 quiet a-slower-10"));
  EXPECT_THAT(tracker.open(), IsEmpty());
  EXPECT_THAT(told(tracker.update({over(wider)}, at(450))), IsEmpty());
  EXPECT_THAT(told(tracker.update({over(wider)}, at(451))), ElementsAre("5 closed a-slower-10"));
  EXPECT_THAT(told(tracker.update({over(wider)}, at(900))), IsEmpty());
  EXPECT_THAT(tracker.state().told, SizeIs(1));
  EXPECT_THAT(told(tracker.update({}, at(950))), IsEmpty()) << "what the engine has forgotten is no news";
  EXPECT_THAT(tracker.state().told, IsEmpty());
}

TEST(ChangeTracker, WhatComesBackWhileItIsQuietGrew) {
  ChangeTracker tracker({.closed_after = minutes(5)});
  EXPECT_THAT(told(tracker.update({over(incident("a", 10, 60))}, at(60))),
              ElementsAre("1 opened a-slower-10"));
  EXPECT_THAT(told(tracker.update({over(incident("a", 10, 60))}, at(90))),
              ElementsAre("2 quiet a-slower-10"));
  EXPECT_THAT(told(tracker.update({incident("a", 10, 120)}, at(120))), ElementsAre("3 grew a-slower-10"));
}

TEST(ChangeTracker, WhatHealsByItselfIsNoAlarmAndOverloadIsOneLater) {
  ChangeTracker tracker(
      {.closed_after = minutes(5), .alarm_after = minutes(1), .overload_alarm_after = minutes(30)});
  EXPECT_THAT(told(tracker.update({incident("a", 10, 69)}, at(69))), IsEmpty());
  EXPECT_THAT(told(tracker.update({over(incident("a", 10, 69))}, at(200))), IsEmpty())
      << "it was over before it was an alarm";
  EXPECT_THAT(told(tracker.update({}, at(500))), IsEmpty()) << "nor is its end told";
  Incident loaded = incident("b", 500, 560);
  loaded.mode = FailureMode::kOverload;
  EXPECT_THAT(told(tracker.update({loaded, incident("c", 500, 560)}, at(560))),
              ElementsAre("1 opened c-slower-500"));
  loaded.seen_until = at(500 + 30 * 60);
  EXPECT_THAT(told(tracker.update({loaded, incident("c", 500, 600)}, at(500 + 30 * 60))),
              ElementsAre("2 opened b-slower-500"));
}

TEST(ChangeTracker, WhatWasToldOfBeforeItsModeWasKnownStaysTold) {
  ChangeTracker tracker({.closed_after = minutes(5), .overload_alarm_after = minutes(30)});
  EXPECT_THAT(told(tracker.update({incident("a", 10, 60)}, at(60))), ElementsAre("1 opened a-slower-10"));
  Incident loaded = incident("a", 10, 90);
  loaded.mode = FailureMode::kOverload;
  EXPECT_THAT(told(tracker.update({loaded}, at(90))), IsEmpty());
  EXPECT_THAT(told(tracker.update({over(loaded)}, at(200))), ElementsAre("2 quiet a-slower-10"));
}

TEST(ChangeTracker, WhatBecomesExplainedIsToldSoAndWhatIsGoneIsWithdrawn) {
  ChangeTracker tracker({.closed_after = minutes(5)});
  Incident known = incident("a", 10, 60);
  known.status = IncidentStatus::kExplained;
  EXPECT_THAT(told(tracker.update({known, incident("b", 20, 60)}, at(60))),
              ElementsAre("1 opened b-slower-20"));
  Incident explained = incident("b", 20, 90);
  explained.status = IncidentStatus::kExplained;
  EXPECT_THAT(told(tracker.update({known, explained}, at(90))), ElementsAre("2 explained b-slower-20"));
  EXPECT_THAT(told(tracker.update({known, incident("b", 20, 120)}, at(120))),
              ElementsAre("3 opened b-slower-20"));
  EXPECT_THAT(told(tracker.update({known}, at(150))), ElementsAre("4 withdrawn b-slower-20"));
  EXPECT_EQ(tracker.update({known, incident("c", 160, 170)}, at(180)).size(), 1U);
  Incident excluded = incident("c", 160, 200);
  excluded.status = IncidentStatus::kExcluded;
  EXPECT_THAT(told(tracker.update({known, excluded}, at(210))), ElementsAre("6 withdrawn c-slower-160"));
}

TEST(ChangeTracker, OfTwoThatBecomeOneTheOlderIdSurvives) {
  ChangeTracker tracker({.closed_after = minutes(5)});
  EXPECT_EQ(tracker.update({incident("a", 10, 60), incident("b", 30, 60)}, at(60)).size(), 2U);
  Incident both = incident("a", 10, 90);
  both.id = "array-slower-0";
  both.blame = {PartKind::kArray, "array"};
  both.components = {"a", "b"};
  EXPECT_THAT(told(tracker.update({both}, at(90))),
              ElementsAre("3 merged b-slower-30 into a-slower-10", "4 grew a-slower-10"));
}

TEST(ChangeTracker, TheEndTellsWhatIsStillOpenAsItIs) {
  ChangeTracker tracker({.closed_after = minutes(5)});
  EXPECT_EQ(tracker.update({incident("a", 10, 60), incident("b", 10, 60)}, at(60)).size(), 2U);
  Incident severe = incident("a", 10, 80);
  severe.severity = 9;
  EXPECT_THAT(told(tracker.finish({severe, over(confirmed(incident("b", 10, 70)))}, at(90))),
              ElementsAre("3 confirmed b-slower-10", "4 quiet b-slower-10", "5 grew a-slower-10"));
}

TEST(ChangeTracker, AComponentThatWasNamedBeforeIsNoNews) {
  ChangeTracker tracker({.closed_after = minutes(5)});
  Incident both = incident("a", 10, 60);
  both.components = {"a", "b"};
  EXPECT_THAT(told(tracker.update({both}, at(60))), ElementsAre("1 opened a-slower-10"));
  EXPECT_THAT(told(tracker.update({incident("a", 10, 90)}, at(90))), IsEmpty());
  EXPECT_THAT(told(tracker.update({both}, at(120))), IsEmpty());
  both.components = {"a", "b", "c"};
  EXPECT_THAT(told(tracker.update({both}, at(150))), ElementsAre("2 grew a-slower-10"));
}

Incident busy(std::int64_t seen_until) {
  Incident busy = incident("a", 10, seen_until);
  busy.cause = "busy-lun";
  return busy;
}

TEST(ChangeTracker, AnotherCauseIsToldWhenItLasts) {
  ChangeTracker tracker({.closed_after = minutes(5), .lasting = seconds(90)});
  EXPECT_EQ(tracker.update({incident("a", 10, 60)}, at(60)).size(), 1U);
  EXPECT_THAT(told(tracker.update({busy(90)}, at(90))), ElementsAre("2 grew a-slower-10"))
      << "what has only begun is corrected at once";
  EXPECT_THAT(told(tracker.update({incident("a", 10, 180)}, at(180))), IsEmpty());
  EXPECT_THAT(told(tracker.update({busy(210)}, at(210))), IsEmpty());
  EXPECT_THAT(told(tracker.update({incident("a", 10, 300)}, at(300))), IsEmpty());
  Incident other = incident("a", 10, 330);
  other.blame = {PartKind::kServer, "s"};
  EXPECT_THAT(told(tracker.update({other}, at(330))), IsEmpty());
  EXPECT_THAT(told(tracker.update({other}, at(389))), IsEmpty());
  const std::vector<Change> grew = tracker.update({other}, at(390));
  EXPECT_THAT(told(grew), ElementsAre("3 grew a-slower-10")) << "not as it was told, for 90 s";
  EXPECT_EQ(grew[0].incident.blame.name, "s");
}

TEST(ChangeTracker, WhatCameBackOnceIsOverWhenItIsClosed) {
  ChangeTracker tracker({.closed_after = minutes(5)});
  EXPECT_EQ(tracker.update({incident("a", 10, 60)}, at(60)).size(), 1U);
  EXPECT_THAT(told(tracker.update({over(incident("a", 10, 60))}, at(90))),
              ElementsAre("2 quiet a-slower-10"));
  EXPECT_THAT(told(tracker.update({incident("a", 10, 120)}, at(120))), ElementsAre("3 grew a-slower-10"));
  EXPECT_THAT(told(tracker.update({over(incident("a", 10, 120))}, at(150))), IsEmpty());
  EXPECT_THAT(told(tracker.update({incident("a", 10, 180)}, at(180))), IsEmpty());
  EXPECT_THAT(tracker.open(), SizeIs(1));
  EXPECT_THAT(told(tracker.update({over(incident("a", 10, 180))}, at(480))), IsEmpty());
  EXPECT_THAT(told(tracker.update({over(incident("a", 10, 180))}, at(481))),
              ElementsAre("4 closed a-slower-10"));
}

TEST(ChangeTracker, TheEndTellsWhatDidNotLast) {
  ChangeTracker tracker({.closed_after = minutes(5), .lasting = minutes(5)});
  EXPECT_EQ(tracker.update({incident("a", 10, 60)}, at(60)).size(), 1U);
  EXPECT_EQ(tracker.update({over(incident("a", 10, 60))}, at(90)).size(), 1U);
  EXPECT_EQ(tracker.update({incident("a", 10, 120)}, at(120)).size(), 1U);
  EXPECT_THAT(tracker.update({busy(480)}, at(480)), IsEmpty());
  const std::vector<Change> last = tracker.finish({over(busy(490))}, at(500));
  EXPECT_THAT(told(last), ElementsAre("4 quiet a-slower-10"));
  EXPECT_EQ(last[0].incident.cause, "busy-lun");
}

/// Any verdicts, any moment of a restart: the numbered changes are the same.
TEST(ChangeTracker, GoesOnFromItsState) {
  std::mt19937_64 random(7);
  const auto verdict = [&](std::int64_t now) {
    std::vector<Incident> incidents;
    for (const char* name : {"a", "b", "c"}) {
      if (random() % 4 == 0) continue;
      Incident one = incident(name, 10, now - static_cast<std::int64_t>(random() % 50));
      if (random() % 2 == 0) one = confirmed(one);
      if (random() % 3 == 0) one = over(one);
      if (random() % 3 == 0) one.cause = "busy-lun";
      if (random() % 8 == 0) one.components.push_back(std::string("d") + std::to_string(random() % 9));
      if (random() % 5 == 0) one.status = IncidentStatus::kExplained;
      incidents.push_back(std::move(one));
    }
    return incidents;
  };
  constexpr ChangeTracker::Patience kPatience{.closed_after = minutes(1), .lasting = seconds(60)};
  ChangeTracker steady(kPatience);
  auto restarted = std::make_unique<ChangeTracker>(kPatience);
  std::size_t changes = 0;
  for (std::int64_t now = 60; now < 6000; now += 30) {
    const std::vector<Incident> incidents = verdict(now);
    if (random() % 3 == 0) {
      auto next = std::make_unique<ChangeTracker>(kPatience);
      next->restore(restarted->state());
      restarted = std::move(next);
    }
    const auto told_by_steady = told(steady.update(incidents, at(now)));
    ASSERT_EQ(told(restarted->update(incidents, at(now))), told_by_steady) << now;
    changes += told_by_steady.size();
  }
  EXPECT_GT(changes, 200U);
  EXPECT_EQ(steady.state().number, changes) << "no number is left out";
}

}  // namespace
}  // namespace laggard::engine
