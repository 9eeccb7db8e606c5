#include "send/alertmanager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "testing/send.h"

namespace laggard::send {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::json;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class AlertmanagerTest : public ::testing::Test {
 protected:
  AlertmanagerTest() {
    incident_.id = "s3-disk-hog";
    incident_.since = clock_.wall() - 90s;
    incident_.blame = {PartKind::kServer, "s3"};
    incident_.cause = "disk-hog";
    incident_.components = {"s3/loop23"};
  }

  void tell(ChangeKind kind) {
    alerts_.take({.kind = kind, .number = 1, .at = clock_.wall(), .incident = incident_}, "s3 is suspected");
  }
  Status post() { return alerts_.post({.wall = clock_.wall(), .mono = clock_.mono()}); }
  /// The alerts of the last request.
  [[nodiscard]] Json last() const { return Json::parse(server_.posted.back()); }

  PaperServer server_;
  FakeClock clock_;
  Incident incident_;
  Alertmanager alerts_{server_, {.server = "http://am", .generator_url = "http://wiki/laggard"}};
};

TEST_F(AlertmanagerTest, AnOpenIncidentFires) {
  tell(ChangeKind::kOpened);
  ASSERT_TRUE(post());
  EXPECT_EQ(server_.paths.back(), "/api/v2/alerts");
  EXPECT_EQ(server_.last_headers.find("Content-Type")->second, "application/json");
  EXPECT_EQ(last(), Json::parse(R"([{
    "labels": {"alertname": "laggard", "incident": "s3-disk-hog", "severity": "warning"},
    "annotations": {"summary": "s3 is suspected", "kind": "server", "part": "s3", "cause": "disk-hog",
                    "state": "suspected", "components": "s3/loop23"},
    "startsAt": "2026-11-20T19:20:04Z", "endsAt": "2026-11-20T19:25:34Z",
    "generatorURL": "http://wiki/laggard"}])"));
}

TEST_F(AlertmanagerTest, IsPostedAgainEveryMinuteAndOnlyThen) {
  EXPECT_TRUE(post());
  EXPECT_THAT(server_.posted, SizeIs(0)) << "nothing is open";
  tell(ChangeKind::kOpened);
  for (int second = 0; second < 180; ++second) {
    ASSERT_TRUE(post());
    clock_.advance(1s);
  }
  EXPECT_THAT(server_.posted, SizeIs(3));
  EXPECT_EQ(last()[0]["startsAt"], "2026-11-20T19:20:04Z");
  EXPECT_EQ(last()[0]["endsAt"], "2026-11-20T19:27:34Z");
}

TEST_F(AlertmanagerTest, GrowingAndQuietChangeNoLabel) {
  tell(ChangeKind::kOpened);
  ASSERT_TRUE(post());
  const Json labels = last()[0]["labels"];
  incident_.blame = {PartKind::kController, "c1"};
  incident_.cause = "slow-controller";
  for (int i = 0; i < 30; ++i) incident_.components.push_back("more");
  tell(ChangeKind::kGrew);
  tell(ChangeKind::kQuiet);
  ASSERT_TRUE(post());
  ASSERT_THAT(last(), SizeIs(1));
  EXPECT_EQ(last()[0]["labels"], labels);
  EXPECT_EQ(last()[0]["annotations"]["part"], "c1");
  EXPECT_THAT(last()[0]["annotations"]["components"], HasSubstr("more and 11 more"));
}

TEST_F(AlertmanagerTest, ConfirmationEndsTheWarningInTheSameRequest) {
  tell(ChangeKind::kOpened);
  ASSERT_TRUE(post());
  incident_.state = IncidentState::kConfirmed;
  tell(ChangeKind::kConfirmed);
  ASSERT_TRUE(post());
  ASSERT_THAT(last(), SizeIs(2));
  EXPECT_EQ(last()[0]["labels"]["severity"], "warning");
  EXPECT_EQ(last()[0]["endsAt"], "2026-11-20T19:21:33Z");
  EXPECT_EQ(last()[1]["labels"]["severity"], "critical");
  EXPECT_EQ(last()[1]["endsAt"], "2026-11-20T19:25:34Z");
}

TEST_F(AlertmanagerTest, WhatIsOverIsPostedOnceWithItsEnd) {
  for (const ChangeKind over :
       {ChangeKind::kClosed, ChangeKind::kWithdrawn, ChangeKind::kMerged, ChangeKind::kExplained}) {
    incident_.until.reset();
    tell(ChangeKind::kOpened);
    ASSERT_TRUE(post());
    if (over == ChangeKind::kClosed) incident_.until = clock_.wall() - 30s;
    tell(over);
    ASSERT_TRUE(post());
    ASSERT_THAT(last(), SizeIs(1)) << to_name(over);
    EXPECT_EQ(last()[0]["endsAt"],
              over == ChangeKind::kClosed ? "2026-11-20T19:21:04Z" : "2026-11-20T19:21:33Z");
    EXPECT_EQ(alerts_.open() + alerts_.ended(), 0U);
    EXPECT_FALSE(alerts_.due(clock_.mono() + 1h));
  }
}

TEST_F(AlertmanagerTest, AKnownIncidentIsNoAlert) {
  tell(ChangeKind::kOpened);
  ASSERT_TRUE(post());
  incident_.status = IncidentStatus::kExplained;
  tell(ChangeKind::kGrew);
  EXPECT_EQ(alerts_.open(), 0U);
  EXPECT_EQ(alerts_.ended(), 1U);
  ASSERT_TRUE(post());
  tell(ChangeKind::kGrew);
  EXPECT_FALSE(alerts_.due(clock_.mono())) << "nothing fires that could end";
  incident_.status = IncidentStatus::kOpen;
  tell(ChangeKind::kGrew);
  EXPECT_EQ(alerts_.open(), 1U);
}

TEST_F(AlertmanagerTest, AClockAheadOfOursDoesNotStartInTheFuture) {
  incident_.since = clock_.wall() + 1h;
  tell(ChangeKind::kOpened);
  ASSERT_TRUE(post());
  EXPECT_EQ(last()[0]["startsAt"], "2026-11-20T19:21:33Z");
  tell(ChangeKind::kClosed);
  ASSERT_TRUE(post());
  EXPECT_EQ(last()[0]["startsAt"], "2026-11-20T19:21:33Z");
  EXPECT_EQ(last()[0]["endsAt"], "2026-11-20T19:21:33Z");
}

TEST_F(AlertmanagerTest, WhatFailsWaitsAndIsPostedAsItIsThen) {
  server_.answers = {PaperServer::away(), server_.reply(503), server_.reply(400, "bad \x1b[2J label")};
  tell(ChangeKind::kOpened);
  const Status away = post();
  ASSERT_FALSE(away);
  EXPECT_EQ(away.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(away.error().message(),
            "http://x: cannot connect; 1 alert waits and will be posted again in 10s");
  EXPECT_TRUE(post());
  EXPECT_THAT(server_.posted, SizeIs(1)) << "not before the ten seconds are over";
  tell(ChangeKind::kClosed);
  clock_.advance(10s);
  EXPECT_FALSE(post());
  clock_.advance(10s);
  const Status refused = post();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kBadInput);
  EXPECT_EQ(
      refused.error().message(),
      "http://am: the server answers 400: bad ?[2J label; 1 alert waits and will be posted again in 10s");
  clock_.advance(10s);
  EXPECT_TRUE(post());
  EXPECT_THAT(server_.posted, SizeIs(4));
  EXPECT_THAT(last(), SizeIs(1));
  EXPECT_EQ(alerts_.ended(), 0U);
}

TEST_F(AlertmanagerTest, WhatComesBackBeforeItsEndWasToldStaysOne) {
  tell(ChangeKind::kOpened);
  tell(ChangeKind::kClosed);
  tell(ChangeKind::kOpened);
  ASSERT_TRUE(post());
  ASSERT_THAT(last(), SizeIs(1));
  EXPECT_EQ(last()[0]["endsAt"], "2026-11-20T19:25:34Z");
}

TEST_F(AlertmanagerTest, WhatWaitsIsBounded) {
  for (std::size_t i = 0; i < Alertmanager::kMostEnded + 5; ++i) {
    incident_.id = std::to_string(i);
    tell(ChangeKind::kOpened);
    tell(ChangeKind::kClosed);
  }
  EXPECT_EQ(alerts_.ended(), Alertmanager::kMostEnded);
  ASSERT_TRUE(post());
  EXPECT_EQ(last()[0]["labels"]["incident"], "5") << "the oldest are left out";
}

TEST_F(AlertmanagerTest, AnyNameMakesValidJson) {
  incident_.blame.name = "\xff\"\n";
  tell(ChangeKind::kOpened);
  ASSERT_TRUE(post());
  EXPECT_EQ(last()[0]["annotations"]["part"], "\xEF\xBF\xBD\"\n");
}

}  // namespace
}  // namespace laggard::send
