#include "collect/pings/ping_rounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <map>

#include "testing/fake_machine.h"
#include "testing/observations.h"

namespace laggard::collect {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing_support::plain;
using testing_support::PlainEvent;

/// Answers what the test says, when it says so.
class ScriptedRunner final : public PingRunner {
 public:
  [[nodiscard]] bool start(const PingOrder& order) override {
    if (gone) return false;
    orders.push_back(order);
    if (at_once) done.push_back({order, *at_once});
    return true;
  }
  [[nodiscard]] bool is_there(std::size_t) const override { return !gone; }
  [[nodiscard]] std::vector<PingAnswer> answers() override { return std::exchange(done, {}); }

  bool gone = false;
  std::optional<PingResult> at_once;
  std::vector<PingOrder> orders;
  std::vector<PingAnswer> done;
};

class Rounds : public testing::Test {
 protected:
  Rounds() { clock_.set_wall(from_unix_ns(1'800'000'000'000'000'000) + 30s); }
  void step() { rounds_.step(clock_, batch_); }
  void step_after(Duration time) {
    clock_.advance(time);
    step();
  }
  /// Events since the last call.
  std::vector<PlainEvent> told() {
    auto events = plain(batch_.events);
    batch_.events = EventTable("c1", "ping");
    return events;
  }
  static std::string attribute(const PlainEvent& event, const std::string& key,
                               AttributeForm form = AttributeForm::kInteger) {
    const auto found = event.attributes.find({key, form});
    return found == event.attributes.end() ? "" : found->second;
  }

  FakeClock clock_;
  ScriptedRunner runner_;
  std::vector<std::string> said_;
  ObservationBatch batch_{"c1", "ping"};
  PingRounds rounds_{{.targets = {{"ost1", "/x"}}, .operations = {PingOperation::kWriteExisting}},
                     runner_,
                     [this](const std::string& sentence) { said_.push_back(sentence); }};
};

TEST_F(Rounds, OneAtOnceAndThenOneAtEachMinuteWhateverTheWallClockDoes) {
  runner_.at_once = PingResult{.latency = 3ms};
  std::vector<std::int64_t> starts;
  for (int second = 0; second < 600; ++second) {
    if (second == 200) clock_.step_wall(-3600s);
    if (second == 400) clock_.step_wall(86400s + 7s);
    step();
    for (const PlainEvent& event : told()) {
      EXPECT_EQ(event.what, "ok");
      EXPECT_EQ(event.duration, 3'000'000) << "latencies are not of the wall clock";
      EXPECT_EQ(event.subject, "ost1");
      EXPECT_EQ(attribute(event, "operation", AttributeForm::kWord), "WrEx");
      starts.push_back(event.time / 1'000'000'000);
    }
    clock_.advance(1s);
  }
  ASSERT_GE(starts.size(), 10U);
  EXPECT_LE(starts.size(), 12U);
  EXPECT_EQ(starts[1] % 60, 0);
  EXPECT_EQ(starts[2] - starts[1], 60);
  EXPECT_EQ(starts.back() % 60, 0) << "after the steps as well";
}

TEST_F(Rounds, WhatHangsIsToldAtItsDeadlineAndInEveryRoundAndNothingElseIsAsked) {
  step();
  EXPECT_EQ(rounds_.until_next(), 1s);
  step_after(999ms);
  EXPECT_THAT(told(), IsEmpty());
  step_after(1ms);
  auto events = told();
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].what, "timeout");
  EXPECT_FALSE(events[0].duration) << "nobody knows how long it will take";
  EXPECT_EQ(attribute(events[0], "probe"), "1");
  step_after(29s);
  events = told();
  ASSERT_THAT(events, SizeIs(1)) << "the next round";
  EXPECT_EQ(events[0].what, "timeout");
  EXPECT_EQ(attribute(events[0], "waiting_ns"), "30000000000");
  EXPECT_THAT(runner_.orders, SizeIs(1));
  runner_.done.push_back({runner_.orders[0], {.latency = 31s}});
  step_after(1s);
  events = told();
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].what, "slow");
  EXPECT_EQ(events[0].duration, 31'000'000'000);
  EXPECT_EQ(attribute(events[0], "timed_out"), "1") << "so that nobody counts it twice";
  step_after(59s);
  EXPECT_THAT(runner_.orders, SizeIs(2));
}

TEST_F(Rounds, AnAnswerThatWasThereInTimeIsNoTimeoutHoweverLateItIsRead) {
  step();
  runner_.done.push_back({runner_.orders[0], {.latency = 900ms}});
  step_after(5s);
  const auto events = told();
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].what, "ok");
  runner_.at_once = PingResult{.latency = 1s};
  step_after(25s);
  step();
  EXPECT_EQ(told().at(0).what, "slow") << "at the deadline it has failed (K IV-A: higher than or equal)";
}

TEST_F(Rounds, ErrorsAreNamedAndSaidOncePerKind) {
  runner_.at_once = PingResult{.error = ENOSPC, .direct = false, .latency = 1ms};
  for (int round = 0; round < 3; ++round) {
    step_after(60s);
    step();
  }
  const auto events = told();
  ASSERT_THAT(events, SizeIs(3));
  EXPECT_EQ(events[0].what, "error");
  EXPECT_EQ(attribute(events[0], "error", AttributeForm::kWord), "ENOSPC");
  EXPECT_EQ(attribute(events[0], "direct"), "0");
  EXPECT_THAT(
      said_, ElementsAre("ost1: the file system refuses direct I/O; probes are written synchronously instead",
                         "ost1: WrEx fails: No space left on device"));
}

TEST_F(Rounds, WhenTheProcessThatHangsIsKilledItIsNotTheTargetThatHangs) {
  step();
  step_after(1s);
  EXPECT_EQ(told().at(0).what, "timeout");
  runner_.gone = true;
  step_after(29s);
  EXPECT_EQ(told().at(0).what, "skipped");
}

TEST_F(Rounds, NoProbeIsLostUnreported) {
  runner_.gone = true;
  step();
  EXPECT_EQ(told().at(0).what, "skipped");
  EXPECT_THAT(said_, SizeIs(1));
  runner_.gone = false;
  step_after(30s);
  EXPECT_THAT(told(), IsEmpty());
  clock_.advance(500ms);
  rounds_.finish(clock_, batch_);
  ASSERT_THAT(batch_.events.losses(), SizeIs(1));
  EXPECT_EQ(batch_.events.losses()[0].count, 1U);
}

TEST_F(Rounds, MissedRoundsAreLosses) {
  runner_.at_once = PingResult{.latency = 3ms};
  step();
  step_after(30s);
  step_after(300s);
  step_after(1s);
  std::uint64_t lost = 0;
  for (const Loss& loss : batch_.events.losses()) lost += loss.count;
  EXPECT_EQ(lost + batch_.events.size(), 7U) << "one at once and six minutes";
}

TEST(LatencyHistogram, CountsPerMinuteInBucketsOfOneTwoFive) {
  EXPECT_EQ(LatencyHistogram::bucket_of(0ns), "10us");
  EXPECT_EQ(LatencyHistogram::bucket_of(10us), "10us");
  EXPECT_EQ(LatencyHistogram::bucket_of(10us + 1ns), "20us");
  EXPECT_EQ(LatencyHistogram::bucket_of(3ms), "5ms");
  EXPECT_EQ(LatencyHistogram::bucket_of(100s), "1m40s");
  EXPECT_EQ(LatencyHistogram::bucket_of(101s), "longer");
  LatencyHistogram histogram;
  ProfileTable profile("c1", "ping");
  const WallTime minute = from_unix_ns(1'800'000'000'000'000'000);
  histogram.advance(minute + 20s, profile);
  histogram.count("ost1", "WrEx", 3ms);
  histogram.count("ost1", "WrEx", 4ms);
  histogram.count("ost1", "WrEx", "timeout");
  histogram.advance(minute + 59s, profile);
  EXPECT_EQ(profile.size(), 0U);
  histogram.advance(minute + 61s, profile);
  histogram.count("ost2", "RmEx", 15us);
  histogram.finish(minute + 70s, profile);
  std::vector<testing_support::PlainPeriod> periods = plain(profile);
  ASSERT_THAT(periods, SizeIs(2));
  EXPECT_EQ(periods[0].start, to_unix_ns(minute + 20s));
  EXPECT_EQ(periods[0].length, Duration(40s).count());
  EXPECT_THAT(periods[0].counts, ElementsAre(std::pair("WrEx 5ms", std::uint64_t{2}),
                                             std::pair("WrEx timeout", std::uint64_t{1})));
  EXPECT_EQ(periods[1].start, to_unix_ns(minute + 60s));
  EXPECT_EQ(periods[1].length, Duration(10s).count());
}

class PreparedRounds : public Rounds {
 protected:
  void answer(std::optional<PingPhase> phase, PingResult result = {}) {
    runner_.done.push_back({runner_.orders.back(), result, phase});
  }
  void step_after(Duration time) {
    clock_.advance(time);
    prepared_.step(clock_, batch_);
  }
  PingRounds prepared_{
      {.targets = {{"b1", "s1:/b1"}}, .operations = {PingOperation::kCreateWrite}, .prepares = true},
      runner_,
      [this](const std::string& sentence) { said_.push_back(sentence); }};
};

TEST_F(PreparedRounds, WhatWaitsForOthersIsSkippedAndItsOwnTimeBeginsAfterThat) {
  step_after(0s);
  step_after(1s);
  auto events = told();
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].what, "skipped") << "the target was not asked yet";
  step_after(60s);
  events = told();
  ASSERT_THAT(events, SizeIs(1)) << "each round tells of it";
  EXPECT_EQ(events[0].what, "skipped");
  EXPECT_EQ(attribute(events[0], "waiting_ns"), "61000000000");
  EXPECT_THAT(said_, ElementsAre(testing::HasSubstr("waits for another part")));
  answer(PingPhase::kUnderWay);
  step_after(1s);
  step_after(900ms);
  EXPECT_THAT(told(), IsEmpty()) << "it has a second of its own";
  answer(std::nullopt, {.latency = 950ms});
  step_after(50ms);
  events = told();
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].what, "ok");
  EXPECT_EQ(attribute(events[0], "timed_out"), "");
}

TEST_F(PreparedRounds, WhatIsAskedAfterTheRequestDoesNotMoveItsBeginning) {
  step_after(0s);
  answer(PingPhase::kUnderWay);
  step_after(100ms);
  const auto begun = to_unix_ns(clock_.wall());
  answer(PingPhase::kPreparing);
  step_after(300ms);
  step_after(900ms);
  EXPECT_THAT(told(), IsEmpty()) << "the others have a second of their own";
  answer(std::nullopt, {.latency = 300ms});
  step_after(50ms);
  const auto events = told();
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].what, "ok");
  EXPECT_EQ(events[0].time, begun);
}

TEST_F(PreparedRounds, WhatIsUnderWayTimesOutAsEver) {
  step_after(0s);
  answer(PingPhase::kUnderWay);
  step_after(100ms);
  step_after(1s);
  auto events = told();
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].what, "timeout");
  answer(std::nullopt, {.latency = 5s});
  step_after(4s);
  events = told();
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].what, "slow");
  EXPECT_EQ(attribute(events[0], "timed_out"), "1");
}

TEST_F(PreparedRounds, AFileThatLiesElsewhereIsNoProbeOfTheTarget) {
  step_after(0s);
  answer(PingPhase::kUnderWay);
  answer(std::nullopt, {.error = EXDEV, .skipped = true});
  step_after(10ms);
  const auto events = told();
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].what, "skipped");
  EXPECT_EQ(attribute(events[0], "error", AttributeForm::kWord), "EXDEV");
  EXPECT_THAT(said_, ElementsAre(testing::HasSubstr("come to lie elsewhere")));
}

}  // namespace
}  // namespace laggard::collect
