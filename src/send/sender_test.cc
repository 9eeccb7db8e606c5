#include "send/sender.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <remote_write.pb.h>
#include <snappy.h>

#include <map>

#include "base/file.h"
#include "model/series_source.h"
#include "testing/send.h"

namespace laggard::send {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

/// Takes and refuses as Prometheus does: requests whole, series in order of time, nothing an hour behind.
class StrictServer final : public PaperServer {
 public:
  std::map<std::string, std::map<std::int64_t, double>> series;
  std::int64_t newest = 0;

 protected:
  Result<net::HttpReply> answer_to(std::string_view body) override {
    std::string plain;
    wire::WriteRequest request;
    if (!snappy::Uncompress(body.data(), body.size(), &plain) || !request.ParseFromString(plain)) {
      return reply(400, "snappy: corrupt input");
    }
    for (const auto& one : request.timeseries()) {
      const auto& there = series[name(one)];
      for (const auto& sample : one.samples()) {
        if (newest - sample.timestamp() > 3'600'000) return reply(400, "out of bounds\n");
        if (there.empty() || sample.timestamp() > there.rbegin()->first) continue;
        if (sample.timestamp() < there.rbegin()->first) return reply(400, "out of order sample\n");
        if (sample.value() != there.rbegin()->second) return reply(400, "duplicate sample for timestamp\n");
      }
    }
    for (const auto& one : request.timeseries()) {
      for (const auto& sample : one.samples()) {
        series[name(one)][sample.timestamp()] = sample.value();
        newest = std::max(newest, sample.timestamp());
      }
    }
    return reply(204);
  }

 private:
  static std::string name(const wire::TimeSeries& one) {
    std::string text;
    for (const auto& label : one.labels()) text += label.name() + "=" + label.value() + " ";
    return text;
  }
};

class Notes final : public SendObserver {
 public:
  void progress(const SendState& state) override { done = state.done; }
  void away(const std::string& sentence) override { notices.push_back(sentence); }
  void notice(const std::string& sentence) override { notices.push_back(sentence); }
  std::vector<std::string> notices;
  double done = 0;
};

const std::string kFs1 = "__name__=node_disk_reads_completed_total device=sda instance=fs1 ";

class SenderTest : public ::testing::Test {
 protected:
  Result<SendResult> send() {
    auto positions = Positions::open(scratch_ / "position", "http://x");
    EXPECT_TRUE(positions);
    SendTools tools{.transport = server_,
                    .positions = *positions,
                    .clock = clock_,
                    .random = random_,
                    .observer = notes_,
                    .stopped = [this] { return stop_ && stop_(); }};
    return send_recording([this] { return open(); }, options_, tools);
  }
  SendResult sent() {
    Result<SendResult> result = send();
    EXPECT_TRUE(result) << result.error().message();
    return result ? *result : SendResult{};
  }
  Result<std::unique_ptr<SeriesSource>> open() {
    ++opened_;
    if (when_opened_) when_opened_();
    auto source = std::make_unique<MemorySource>();
    for (const SampleTable& table : tables_) EXPECT_TRUE(source->append(table));
    return source;
  }

  Scratch scratch_;
  StrictServer server_;
  FakeClock clock_;
  std::mt19937_64 random_{1};
  Notes notes_;
  SendOptions options_{.path = "/api/v1/write", .server = "http://x", .labels = {}};
  std::vector<SampleTable> tables_;
  std::function<bool()> stop_;
  std::function<void()> when_opened_;
  int opened_ = 0;
};

TEST_F(SenderTest, SendsEverythingOnceAndThenOnlyWhatIsNew) {
  tables_ = {counting_table("fs1", 1000, 100)};
  options_.batch = 30;
  EXPECT_EQ(sent().samples, 100U);
  EXPECT_EQ(server_.series[kFs1].size(), 100U);
  EXPECT_EQ(server_.series[kFs1][1'099'000], 99);
  EXPECT_EQ(sent().samples, 0U);
  tables_.push_back(counting_table("fs1", 1100, 10));
  EXPECT_EQ(sent().samples, 10U);
  EXPECT_EQ(server_.series[kFs1].size(), 110U);
}

TEST_F(SenderTest, HostsGoSideBySideSoThatNoneFallsAnHourBehind) {
  for (const char* host : {"fs1", "fs2", "fs3"}) tables_.push_back(counting_table(host, 1000, 20'000));
  const SendResult result = sent();
  EXPECT_EQ(result.samples, 60'000U);
  EXPECT_EQ(result.too_old, 0U);
}

TEST_F(SenderTest, SkipsGapsAndTimesBeforeTheFirstWanted) {
  tables_ = {counting_table("fs1", 1000, 100), counting_table("fs1", 100'000'000, 100)};
  options_.from = from_unix_ns(std::int64_t{1050} * 1'000'000'000);
  EXPECT_EQ(sent().samples, 150U);
  EXPECT_EQ(server_.series[kFs1].begin()->first, 1'050'000);
}

TEST_F(SenderTest, GoesOnWhereAServerThatWentAwayStopped) {
  tables_ = {counting_table("fs1", 1000, 100)};
  options_.batch = 30;
  options_.give_up = std::chrono::seconds(60);
  server_.answers.emplace_back(server_.reply(503));
  for (int i = 0; i < 40; ++i) server_.answers.emplace_back(PaperServer::away());
  options_.needs_server_at_start = false;
  const auto failed = send();
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message(), HasSubstr("http://x: cannot connect"));
  server_.answers.clear();
  EXPECT_EQ(sent().samples, 100U);
}

TEST_F(SenderTest, WhatWasTakenWithoutAnAnswerIsFoundSampleBySample) {
  tables_ = {counting_table("fs1", 1000, 100)};
  options_.batch = 40;
  EXPECT_EQ(sent().samples, 100U);
  // A position that is older than what the server has: a crash before it was written, with other batches.
  const std::string text = *read_file(scratch_ / "position");
  std::string older = text;
  older.replace(older.find("1099000"), 7, "1069000");
  ASSERT_TRUE(write_file(scratch_ / "position", older));
  tables_.push_back(counting_table("fs1", 1100, 5));
  const SendResult result = sent();
  EXPECT_EQ(result.known + result.samples, 35U);
  EXPECT_GE(result.samples, 5U);
  EXPECT_EQ(server_.series[kFs1].size(), 105U);
}

TEST_F(SenderTest, SaysWhatIsTooOldAndSendsTheRest) {
  tables_ = {counting_table("fs1", 1000, 6000)};
  server_.newest = 6'000'000;
  options_.batch = 100;
  const SendResult result = sent();
  EXPECT_GE(result.too_old, 1400U);
  EXPECT_LE(result.too_old, 1500U);
  EXPECT_EQ(result.samples + result.too_old, 6000U);
}

TEST_F(SenderTest, ARefusalNamesWhatWasRefused) {
  tables_ = {counting_table("fs1", 1000, 10)};
  server_.answers = {server_.reply(400, "invalid label")};
  EXPECT_EQ(send().error().message(),
            "http://x: the server answers 400: invalid label (to 10 samples, the first of host fs1 at "
            "1970-01-01T00:16:40Z)");
}

TEST_F(SenderTest, FollowsUntilStoppedAndSendsTheLastToo) {
  options_.follow = true;
  tables_ = {counting_table("fs1", 1000, 10)};
  when_opened_ = [this] {
    if (opened_ > 1) tables_.push_back(counting_table("fs1", 1000 + 10 * (opened_ - 1), 10));
  };
  stop_ = [this] { return opened_ >= 4; };
  const SendResult result = sent();
  EXPECT_FALSE(result.stopped);
  EXPECT_EQ(opened_, 5);
  EXPECT_EQ(result.samples, 50U);
}

TEST_F(SenderTest, WhoIsStoppedWhileTheServerIsAwayEndsAtOnce) {
  options_.follow = true;
  options_.needs_server_at_start = false;
  tables_ = {counting_table("fs1", 1000, 10)};
  for (int i = 0; i < 3; ++i) server_.answers.emplace_back(PaperServer::away());
  stop_ = [this] { return server_.posted.size() >= 3; };
  EXPECT_TRUE(sent().stopped);
  EXPECT_THAT(server_.posted, SizeIs(3));
}

}  // namespace
}  // namespace laggard::send
