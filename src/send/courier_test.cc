#include "send/courier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "send/test_support.h"

namespace laggard::send {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class CourierTest : public ::testing::Test {
 protected:
  Courier courier(CourierOptions options = {}) {
    options.path = "/api/v1/write";
    options.server = "http://x";
    return {{.transport = server_,
             .clock = clock_,
             .random = random_,
             .stopped = [this] { return stopped_; },
             .notice_away = [this](const std::string& sentence) { notices_.push_back(sentence); }},
            options};
  }
  HttpReply reply(int status, const std::string& body = {}, const std::string& retry_after = {}) {
    HttpReply out = server_.reply(status, body);
    out.retry_after = retry_after;
    return out;
  }

  PaperServer server_;
  FakeClock clock_;
  std::mt19937_64 random_{1};
  bool stopped_ = false;
  std::vector<std::string> notices_;
};

TEST_F(CourierTest, PostsAsRemoteWriteWants) {
  Courier courier = this->courier();
  EXPECT_EQ(courier.deliver("a").value(), Delivery::kTaken);
  EXPECT_THAT(server_.paths, ElementsAre("/api/v1/write"));
  EXPECT_EQ(server_.last_headers.find("Content-Encoding")->second, "snappy");
  EXPECT_EQ(server_.last_headers.find("Content-Type")->second, "application/x-protobuf");
  EXPECT_EQ(server_.last_headers.find("X-Prometheus-Remote-Write-Version")->second, "0.1.0");
}

TEST_F(CourierTest, TriesAgainWithGrowingWaitsAndHonoursRetryAfter) {
  Courier courier = this->courier();
  server_.answers = {reply(503), reply(429, "slow down", "90"), reply(500)};
  EXPECT_EQ(courier.deliver("a").value(), Delivery::kTaken);
  EXPECT_THAT(server_.posted, SizeIs(4));
  ASSERT_THAT(clock_.sleeps, SizeIs(3));
  EXPECT_LE(clock_.sleeps[0], 500ms);
  EXPECT_EQ(clock_.sleeps[1], Duration(90s));
  EXPECT_GE(clock_.sleeps[2], 1s);
  EXPECT_THAT(notices_[1], HasSubstr("the server answers 429: slow down; trying again in 90.0 s"));
}

TEST_F(CourierTest, RefusalsAreFinalAndSayWhatTheServerSays) {
  Courier courier = this->courier();
  server_.answers = {reply(400, "label name is bad"), reply(404), reply(413)};
  EXPECT_EQ(courier.deliver("a").error().message(), "http://x: the server answers 400: label name is bad");
  EXPECT_THAT(courier.deliver("a").error().what, HasSubstr("--web.enable-remote-write-receiver"));
  EXPECT_THAT(courier.deliver("a").error().what, HasSubstr("--batch"));
  EXPECT_THAT(clock_.sleeps, SizeIs(0));
}

TEST_F(CourierTest, KnowsThePrometheusWaysToSayThatItIsLate) {
  Courier courier = this->courier();
  server_.answers = {reply(400, "out of order sample\n"), reply(400, "duplicate sample for timestamp\n"),
                     reply(400, "out of bounds\n"), reply(400, "too old sample\n")};
  EXPECT_EQ(courier.deliver("a").value(), Delivery::kKnown);
  EXPECT_EQ(courier.deliver("a").value(), Delivery::kKnown);
  EXPECT_EQ(courier.deliver("a").value(), Delivery::kTooOld);
  EXPECT_EQ(courier.deliver("a").value(), Delivery::kTooOld);
}

TEST_F(CourierTest, AServerThatNobodyMeetsAtTheStartIsAMistake) {
  Courier at_once = courier();
  server_.answers = {PaperServer::away()};
  EXPECT_EQ(at_once.deliver("a").error().message(), "http://x: cannot connect");
  Courier patient = courier({.path = {}, .server = {}, .give_up = 60s, .needs_server_at_start = false});
  for (int i = 0; i < 30; ++i) server_.answers.emplace_back(PaperServer::away());
  const MonoTime before = clock_.mono();
  EXPECT_FALSE(patient.deliver("a"));
  EXPECT_LE(clock_.mono() - before, 60s);
  EXPECT_GE(clock_.mono() - before, 30s);
}

TEST_F(CourierTest, StopsWaitingWhenAsked) {
  Courier courier = this->courier({.path = {}, .server = {}, .give_up = {}, .needs_server_at_start = false});
  server_.answers = {PaperServer::away()};
  stopped_ = true;
  EXPECT_EQ(courier.deliver("a").value(), Delivery::kStopped);
}

TEST_F(CourierTest, SendsTheLastSecondsAgainAfterAnOutage) {
  Courier courier = this->courier();
  for (const char* body : {"old", "a", "b"}) {
    EXPECT_EQ(courier.deliver(body).value(), Delivery::kTaken);
    clock_.advance(Courier::kSettle * 2 / 3);
  }
  server_.posted.clear();
  // Away, back, and one of those that were taken is refused as known: it was kept.
  server_.answers = {PaperServer::away(), PaperServer::away(), reply(400, "out of order sample")};
  EXPECT_EQ(courier.deliver("c").value(), Delivery::kTaken);
  EXPECT_THAT(server_.posted, ElementsAre("c", "a", "a", "b", "c"));
  EXPECT_EQ(courier.sent_again(), 2U);
}

TEST_F(CourierTest, ANewConnectionMayBeANewServer) {
  Courier courier = this->courier();
  EXPECT_EQ(courier.deliver("a").value(), Delivery::kTaken);
  server_.connection = 2;
  EXPECT_EQ(courier.deliver("b").value(), Delivery::kTaken);
  EXPECT_THAT(server_.posted, ElementsAre("a", "b", "a", "b"));
  // Unless the server said that it ends the connection.
  server_.posted.clear();
  server_.answers = {reply(204)};
  server_.answers.front()->closing = true;
  EXPECT_EQ(courier.deliver("c").value(), Delivery::kTaken);
  server_.connection = 3;
  EXPECT_EQ(courier.deliver("d").value(), Delivery::kTaken);
  EXPECT_THAT(server_.posted, ElementsAre("c", "d"));
}

TEST_F(CourierTest, WaitsRatherThanKeepMoreThanItMay) {
  Courier courier = this->courier();
  const std::string large(Courier::kMostUnsettled / 2 + 1, 'x');
  EXPECT_EQ(courier.deliver(large).value(), Delivery::kTaken);
  EXPECT_EQ(courier.deliver(large).value(), Delivery::kTaken);
  EXPECT_THAT(clock_.sleeps, ElementsAre(Courier::kSettle));
}

}  // namespace
}  // namespace laggard::send
