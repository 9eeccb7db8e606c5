#include "send/remote_write_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/send.h"

namespace laggard::send {
namespace {
using namespace std::chrono_literals;

TEST(Backoff, DoublesUpToItsLimitWithARandomPart) {
  std::mt19937_64 random(7);
  Backoff backoff(random);
  Duration whole = Backoff::kFirst;
  bool different = false;
  for (int i = 0; i < 20; ++i) {
    const Duration wait = backoff.next();
    EXPECT_GE(wait, whole / 2);
    EXPECT_LE(wait, whole);
    different = different || (wait != whole && wait != whole / 2);
    whole = std::min(whole * 2, Backoff::kLongest);
  }
  EXPECT_EQ(whole, Backoff::kLongest);
  EXPECT_TRUE(different);
  backoff.reset();
  EXPECT_LE(backoff.next(), Backoff::kFirst);
}

TEST(RetryAfter, SecondsAndDates) {
  const WallTime now = *parse_time("2026-11-20T19:21:34Z");
  EXPECT_EQ(parse_retry_after("120", now), Duration(120s));
  EXPECT_EQ(parse_retry_after(" 0 ", now), Duration(0s));
  EXPECT_EQ(parse_retry_after("99999999999999999", now), Duration(1h));
  EXPECT_EQ(parse_retry_after("Fri, 20 Nov 2026 19:22:34 GMT", now), Duration(60s));
  EXPECT_EQ(parse_retry_after("Fri, 20 Nov 2026 19:20:34 GMT", now), Duration(0s));
  EXPECT_EQ(parse_retry_after("Fri, 20 Nov 1900 19:21:34 GMT", now), Duration(0s));
  EXPECT_EQ(parse_retry_after("Fri, 20 Nov 2100 19:21:34 GMT", now), Duration(1h));
  for (const char* text : {"", "soon", "-1", "1.5", "Fri, 20 Nov 1713 19:21:34 GMT",
                           "Fri, 20 Nov 2026 19:22:34", "Fri, 20 Nov 2026 GMT"}) {
    EXPECT_FALSE(parse_retry_after(text, now)) << text;
  }
}

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class RemoteWriteClientTest : public ::testing::Test {
 protected:
  RemoteWriteClient client(RemoteWriteOptions options = {}) {
    options.path = "/api/v1/write";
    options.server = "http://x";
    return {{.transport = server_,
             .clock = clock_,
             .random = random_,
             .stopped = [this] { return stopped_; },
             .notice_away = [this](const std::string& sentence) { notices_.push_back(sentence); }},
            options};
  }
  net::HttpReply reply(int status, const std::string& body = {}, const std::string& retry_after = {}) {
    net::HttpReply out = server_.reply(status, body);
    out.retry_after = retry_after;
    return out;
  }

  PaperServer server_;
  FakeClock clock_;
  std::mt19937_64 random_{1};
  bool stopped_ = false;
  std::vector<std::string> notices_;
};

TEST_F(RemoteWriteClientTest, PostsAsRemoteWriteWants) {
  RemoteWriteClient client = this->client();
  EXPECT_EQ(client.deliver("a").value(), Delivery::kTaken);
  EXPECT_THAT(server_.paths, ElementsAre("/api/v1/write"));
  EXPECT_EQ(server_.last_headers.find("Content-Encoding")->second, "snappy");
  EXPECT_EQ(server_.last_headers.find("Content-Type")->second, "application/x-protobuf");
  EXPECT_EQ(server_.last_headers.find("X-Prometheus-Remote-Write-Version")->second, "0.1.0");
}

TEST_F(RemoteWriteClientTest, TriesAgainWithGrowingWaitsAndHonoursRetryAfter) {
  RemoteWriteClient client = this->client();
  server_.answers = {reply(503), reply(429, "slow down", "90"), reply(500)};
  EXPECT_EQ(client.deliver("a").value(), Delivery::kTaken);
  EXPECT_THAT(server_.posted, SizeIs(4));
  ASSERT_THAT(clock_.sleeps, SizeIs(3));
  EXPECT_LE(clock_.sleeps[0], 500ms);
  EXPECT_EQ(clock_.sleeps[1], Duration(90s));
  EXPECT_GE(clock_.sleeps[2], 1s);
  EXPECT_THAT(notices_[1], HasSubstr("the server answers 429: slow down; trying again in 90.0 s"));
}

TEST_F(RemoteWriteClientTest, RefusalsAreFinalAndSayWhatTheServerSays) {
  RemoteWriteClient client = this->client();
  server_.answers = {reply(400, "label name is bad"), reply(404), reply(413)};
  EXPECT_EQ(client.deliver("a").error().message(), "http://x: the server answers 400: label name is bad");
  EXPECT_THAT(client.deliver("a").error().what, HasSubstr("--web.enable-remote-write-receiver"));
  EXPECT_THAT(client.deliver("a").error().what, HasSubstr("--batch"));
  EXPECT_THAT(clock_.sleeps, SizeIs(0));
}

TEST_F(RemoteWriteClientTest, KnowsThePrometheusWaysToSayThatItIsLate) {
  RemoteWriteClient client = this->client();
  server_.answers = {reply(400, "out of order sample\n"), reply(400, "duplicate sample for timestamp\n"),
                     reply(400, "out of bounds\n"), reply(400, "too old sample\n")};
  EXPECT_EQ(client.deliver("a").value(), Delivery::kKnown);
  EXPECT_EQ(client.deliver("a").value(), Delivery::kKnown);
  EXPECT_EQ(client.deliver("a").value(), Delivery::kTooOld);
  EXPECT_EQ(client.deliver("a").value(), Delivery::kTooOld);
}

TEST_F(RemoteWriteClientTest, AServerThatNobodyMeetsAtTheStartIsAMistake) {
  RemoteWriteClient at_once = client();
  server_.answers = {PaperServer::away()};
  EXPECT_EQ(at_once.deliver("a").error().message(), "http://x: cannot connect");
  RemoteWriteClient patient =
      client({.path = {}, .server = {}, .give_up = 60s, .needs_server_at_start = false});
  for (int i = 0; i < 30; ++i) server_.answers.emplace_back(PaperServer::away());
  const MonoTime before = clock_.mono();
  EXPECT_FALSE(patient.deliver("a"));
  EXPECT_LE(clock_.mono() - before, 60s);
  EXPECT_GE(clock_.mono() - before, 30s);
}

TEST_F(RemoteWriteClientTest, StopsWaitingWhenAsked) {
  RemoteWriteClient client =
      this->client({.path = {}, .server = {}, .give_up = {}, .needs_server_at_start = false});
  server_.answers = {PaperServer::away()};
  stopped_ = true;
  EXPECT_EQ(client.deliver("a").value(), Delivery::kStopped);
}

TEST_F(RemoteWriteClientTest, SendsTheLastSecondsAgainAfterAnOutage) {
  RemoteWriteClient client = this->client();
  for (const char* body : {"old", "a", "b"}) {
    EXPECT_EQ(client.deliver(body).value(), Delivery::kTaken);
    clock_.advance(RemoteWriteClient::kSettle * 2 / 3);
  }
  server_.posted.clear();
  // Away, back, and one of those that were taken is refused as known: it was kept.
  server_.answers = {PaperServer::away(), PaperServer::away(), reply(400, "out of order sample")};
  EXPECT_EQ(client.deliver("c").value(), Delivery::kTaken);
  EXPECT_THAT(server_.posted, ElementsAre("c", "a", "a", "b", "c"));
  EXPECT_EQ(client.sent_again(), 2U);
}

TEST_F(RemoteWriteClientTest, AConnectionLostWithoutAWordMayBeANewServer) {
  RemoteWriteClient client = this->client();
  EXPECT_EQ(client.deliver("a").value(), Delivery::kTaken);
  server_.answers = {reply(204)};
  server_.answers.front()->reconnected = true;
  EXPECT_EQ(client.deliver("b").value(), Delivery::kTaken);
  EXPECT_THAT(server_.posted, ElementsAre("a", "b", "a"));
}

TEST_F(RemoteWriteClientTest, ServersThatCloseConnectionsAsAHabitGetNothingTwice) {
  RemoteWriteClient client = this->client();
  server_.always_reconnected = true;
  for (int i = 0; i < 5000; ++i) {
    EXPECT_EQ(client.deliver(std::to_string(i)).value(), Delivery::kTaken);
    clock_.advance(10ms);
  }
  EXPECT_LE(client.requests(), 5001U);
}

TEST_F(RemoteWriteClientTest, OnlyFailuresThatAKilledServerLeavesAreASign) {
  for (const int status : {408, 429, 500, 501, 507}) {
    RemoteWriteClient client = this->client();
    EXPECT_EQ(client.deliver("a").value(), Delivery::kTaken);
    server_.posted.clear();
    server_.answers = {reply(status)};
    EXPECT_EQ(client.deliver("b").value(), Delivery::kTaken);
    EXPECT_THAT(server_.posted, ElementsAre("b", "b")) << status;
  }
  for (const int status : {502, 503, 504, 522}) {
    RemoteWriteClient client = this->client();
    EXPECT_EQ(client.deliver("a").value(), Delivery::kTaken);
    server_.posted.clear();
    server_.answers = {reply(status)};
    EXPECT_EQ(client.deliver("b").value(), Delivery::kTaken);
    EXPECT_THAT(server_.posted, ElementsAre("b", "a", "b")) << status;
  }
}

TEST_F(RemoteWriteClientTest, ARequestThatFailsForEverIsGivenUpThoughTheOthersAreTaken) {
  RemoteWriteClient client = this->client({.path = {}, .server = {}, .give_up = 60s});
  for (int i = 0; i < 50; ++i)
    EXPECT_EQ(client.deliver("fine " + std::to_string(i)).value(), Delivery::kTaken);
  server_.refuses = "poison";
  const MonoTime before = clock_.mono();
  const auto result = client.deliver("poison");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kUnavailable);
  EXPECT_LE(clock_.mono() - before, 60s * (RemoteWriteClient::kMostRepeats + 1));
  EXPECT_LE(client.sent_again(), 50U * RemoteWriteClient::kMostRepeats);
}

TEST_F(RemoteWriteClientTest, AServerThatSendsUsElsewhereForGoodIsNoFailure) {
  RemoteWriteClient client = this->client();
  server_.answers = {fail(ErrorCode::kBadUse, "http://x", "the server redirects more than 5 times")};
  EXPECT_EQ(client.deliver("a").error().message(), "http://x: the server redirects more than 5 times");
  EXPECT_THAT(clock_.sleeps, SizeIs(0));
}

TEST_F(RemoteWriteClientTest, WaitsRatherThanKeepMoreThanItMay) {
  RemoteWriteClient client = this->client();
  const std::string large(RemoteWriteClient::kMostUnsettled / 2 + 1, 'x');
  EXPECT_EQ(client.deliver(large).value(), Delivery::kTaken);
  EXPECT_EQ(client.deliver(large).value(), Delivery::kTaken);
  EXPECT_THAT(clock_.sleeps, ElementsAre(RemoteWriteClient::kSettle));
}

}  // namespace
}  // namespace laggard::send
