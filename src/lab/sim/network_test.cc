#include "lab/sim/network.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace laggard::lab {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int64_t kOneMegabyte = 1 << 20;

/// Sends messages one after the other, two at a time so that the flow never runs dry.
class Sender : public EventHandler {
 public:
  Sender(TcpFlow& flow, std::int64_t bytes) : flow_(flow), bytes_(bytes) {
    for (int i = 0; i < 2; ++i) flow_.send(bytes_, {this, 0, 0});
  }
  void on_event(std::uint32_t /*kind*/, std::uint64_t /*about*/) override {
    delivered += bytes_;
    flow_.send(bytes_, {this, 0, 0});
  }
  std::int64_t delivered = 0;

 private:
  TcpFlow& flow_;
  std::int64_t bytes_;
};

/// Notes the times of its events.
class Stopwatch : public EventHandler {
 public:
  explicit Stopwatch(EventQueue& queue) : queue_(queue) {}
  void on_event(std::uint32_t /*kind*/, std::uint64_t /*about*/) override {
    times.push_back(to_seconds(queue_.now()) * 1e3);
  }
  std::vector<double> times;  ///< ms

 private:
  EventQueue& queue_;
};

struct TcpTest : testing::Test {
  EventQueue queue;
  Network network{NetworkSpec{}, 12};

  TcpFlow flow(std::size_t from, std::size_t to) {
    return {queue, network, {.from = from, .to = to}, TcpOptions{}, Random(from * 100 + to)};
  }

  /// Advances the time and returns the mean cwnd, sampled every 10 ms.
  double mean_cwnd(const TcpFlow& of, int samples) {
    double mean = 0;
    for (int i = 0; i < samples; ++i) {
      queue.run_until(queue.now() + milliseconds(10));
      mean += static_cast<double>(of.counters().snd_cwnd) / samples;
    }
    return mean;
  }
};

TEST_F(TcpTest, ALoneFlowFillsTheLinkAndItsWindowStaysAtAboutAHundred) {
  TcpFlow bulk = flow(0, 1);
  const Sender sender(bulk, 4 * kOneMegabyte);
  queue.run_until(seconds(2));
  const std::int64_t before = sender.delivered;
  queue.run_until(seconds(7));
  EXPECT_GT(static_cast<double>(sender.delivered - before) / 5, 100e6);
  EXPECT_NEAR(static_cast<double>(bulk.counters().snd_cwnd), 91, 2);
  EXPECT_EQ(bulk.counters().retrans, 0U);
  // Every second segment is acknowledged.
  EXPECT_NEAR(static_cast<double>(network.counters(0).rx_packets) /
                  static_cast<double>(network.counters(0).tx_packets),
              0.5, 0.01);
}

TEST_F(TcpTest, ASlowCableSlowsOneWayOrBoth) {
  network.set_cable(1, {.sending = 1, .receiving = 0.2, .delay = {}});
  TcpFlow to_it = flow(0, 1);
  TcpFlow from_it = flow(1, 2);
  Sender in(to_it, kOneMegabyte);
  Sender out(from_it, kOneMegabyte);
  queue.run_until(seconds(10));
  const double full = NetworkSpec{}.bytes_per_second * 10;
  EXPECT_NEAR(static_cast<double>(in.delivered) / full, 0.19, 0.02);
  EXPECT_GT(static_cast<double>(out.delivered) / full, 0.85);
  network.set_cable(1, {});
  const std::int64_t before = in.delivered;
  queue.run_until(seconds(20));
  EXPECT_GT(static_cast<double>(in.delivered - before) / full, 0.85);
}

TEST_F(TcpTest, ALongCableDelaysBothWays) {
  Stopwatch healthy(queue);
  TcpFlow near = flow(0, 2);
  near.send(1000, {&healthy, 0, 0});
  queue.run_until(seconds(1));
  network.set_cable(1, {.sending = 1, .receiving = 1, .delay = milliseconds(20)});
  Stopwatch late(queue);
  TcpFlow there = flow(0, 1);
  TcpFlow back = flow(1, 0);
  there.send(1000, {&late, 0, 0});
  back.send(1000, {&late, 0, 0});
  queue.run_until(seconds(2));
  ASSERT_EQ(healthy.times.size(), 1U);
  ASSERT_EQ(late.times.size(), 2U);
  // A message is done when its sender knows: there and back.
  for (const double time : late.times) EXPECT_NEAR(time - 1000, healthy.times[0] + 40, 0.5);
}

TEST_F(TcpTest, ManySendersOscillateBetweenTenAndAHundred) {
  std::vector<std::unique_ptr<TcpFlow>> flows;
  std::vector<std::unique_ptr<Sender>> senders;
  for (std::size_t from = 1; from <= 10; ++from) {
    flows.push_back(
        std::make_unique<TcpFlow>(queue, network, TcpFlow::Ends{from, 0}, TcpOptions{}, Random(from)));
    senders.push_back(std::make_unique<Sender>(*flows.back(), 4 * kOneMegabyte));
  }
  queue.run_until(seconds(2));
  double lowest = 1e9;
  double highest = 0;
  for (int i = 0; i < 200; ++i) {
    queue.run_until(queue.now() + milliseconds(50));
    for (const auto& each : flows) {
      lowest = std::min(lowest, static_cast<double>(each->counters().snd_cwnd));
      highest = std::max(highest, static_cast<double>(each->counters().snd_cwnd));
    }
  }
  std::int64_t total = 0;
  for (const auto& sender : senders) total += sender->delivered;
  EXPECT_GT(static_cast<double>(total) / 12, 90e6);
  EXPECT_LT(lowest, 25);
  EXPECT_GT(highest, 50);
  EXPECT_LE(highest, 100);
}

/// Answers every request at once; the next request follows after a while.
class Talk : public EventHandler {
 public:
  Talk(EventQueue& queue, TcpFlow& there, TcpFlow& back, SimTime pause)
      : queue_(queue), there_(there), back_(back), pause_(pause) {
    there_.set_way_back(back_);
    back_.set_way_back(there_);
    on_event(kPause, 0);
  }
  void on_event(std::uint32_t kind, std::uint64_t /*about*/) override {
    if (kind == kPause) there_.send(100, {this, kRequest, 0});
    if (kind == kRequest) back_.send(100, {this, kAnswer, 0});
    if (kind == kAnswer) queue_.schedule_in(pause_, {this, kPause, 0});
  }

 private:
  enum Kind : std::uint32_t { kPause, kRequest, kAnswer };
  EventQueue& queue_;
  TcpFlow& there_;
  TcpFlow& back_;
  SimTime pause_;
};

TEST_F(TcpTest, AnAnswerCarriesTheAckOfItsRequestAndARequestThatOfTheAnswerOnlyIfItIsSoon) {
  TcpFlow there = flow(0, 1);
  TcpFlow back = flow(1, 0);
  const Talk slow(queue, there, back, milliseconds(100));
  TcpFlow soon_there = flow(2, 3);
  TcpFlow soon_back = flow(3, 2);
  const Talk soon(queue, soon_there, soon_back, milliseconds(10));
  queue.run_until(milliseconds(950));
  EXPECT_EQ(network.counters(1).tx_packets, 10U);       // The answers.
  EXPECT_EQ(network.counters(0).tx_packets, 10U + 9U);  // Requests, and ACKs of all answers but the last.
  EXPECT_EQ(network.counters(3).tx_packets, network.counters(2).tx_packets);
}

TEST_F(TcpTest, FivePercentLossHoldsTheWindowInSingleDigitsAndDoublesTheAcks) {
  TcpFlow bulk = flow(0, 1);
  const Sender sender(bulk, 4 * kOneMegabyte);
  queue.run_until(seconds(5));
  network.set_loss(0, 1, 0.05);
  queue.run_until(seconds(10));
  const std::int64_t before = sender.delivered;
  const NetCounters counters = network.counters(0);
  EXPECT_LT(mean_cwnd(bulk, 3000), 8);
  const double rate = static_cast<double>(sender.delivered - before) / 30;
  EXPECT_LT(rate, 25e6);
  EXPECT_GT(rate, 0.5e6);
  const NetCounters after = network.counters(0);
  const double acks_per_segment = static_cast<double>(after.rx_packets - counters.rx_packets) /
                                  static_cast<double>(after.tx_packets - counters.tx_packets);
  EXPECT_GT(acks_per_segment, 0.75);

  network.set_loss(0, 1, 0);
  queue.run_until(queue.now() + seconds(5));
  EXPECT_GT(mean_cwnd(bulk, 100), 80);
}

TEST_F(TcpTest, LossInADialogueIsNoReasonForQuickAcks) {
  TcpFlow there = flow(0, 1);
  TcpFlow back = flow(1, 0);
  network.set_loss(0, 1, 0.05);
  const Talk talk(queue, there, back, milliseconds(5));
  queue.run_until(seconds(60));
  const std::uint64_t answers = back.counters().bytes_sent / 100;
  const std::uint64_t repeated = there.counters().retrans;
  EXPECT_GT(repeated, 50U);
  // Sixteen single ACKs after each loss if the answers did not carry them.
  EXPECT_LT(network.counters(1).tx_packets, answers + 2 * repeated);
}

TEST_F(TcpTest, ALostMessageIsRepeatedWithTheBytesThatItHad) {
  TcpFlow there = flow(0, 1);
  TcpFlow back = flow(1, 0);
  network.set_loss(0, 1, 0.05);
  const Talk talk(queue, there, back, milliseconds(5));
  queue.run_until(seconds(60));
  const std::uint64_t repeated = there.counters().retrans;
  const std::uint64_t answered = back.counters().bytes_sent / 100;
  ASSERT_GT(repeated, 50U);
  EXPECT_NEAR(static_cast<double>(there.counters().bytes_sent),
              static_cast<double>(100 * (answered + repeated)), 100);
}

TEST_F(TcpTest, ALostRequestWaitsForTheTimeout) {
  TcpFlow requests = flow(0, 1);
  Stopwatch watch(queue);
  network.set_loss(0, 1, 1);
  requests.send(200, {&watch, 0, 0});
  queue.run_until(milliseconds(100));
  network.set_loss(0, 1, 0);
  queue.run_until(seconds(1));
  EXPECT_THAT(watch.times, testing::ElementsAre(testing::DoubleNear(200.2, 0.2)));
  EXPECT_EQ(requests.counters().retrans, 1U);
  EXPECT_EQ(requests.counters().snd_cwnd, 2U);
}

TEST_F(TcpTest, APauseClosesTheWindow) {
  TcpFlow bulk = flow(0, 1);
  Stopwatch watch(queue);
  bulk.send(64 * kOneMegabyte, {&watch, 0, 0});
  queue.run_until(seconds(3));
  const std::uint64_t open = bulk.counters().snd_cwnd;
  EXPECT_GT(open, 80U);
  bulk.send(200, {&watch, 0, 0});
  queue.run_until(seconds(4));
  // It shows only at the next send: the window of an idle connection is not updated.
  EXPECT_LT(bulk.counters().snd_cwnd, 5U);
  EXPECT_EQ(watch.times.size(), 2U);
}

TEST_F(TcpTest, MessagesArriveInOrderAndOnce) {
  TcpFlow small = flow(2, 3);
  Stopwatch watch(queue);
  network.set_loss(2, 3, 0.3);
  for (int i = 0; i < 200; ++i) small.send(100 + 997 * i, {&watch, 0, 0});
  queue.run_until(seconds(100000));
  EXPECT_EQ(watch.times.size(), 200U);
  EXPECT_TRUE(std::is_sorted(watch.times.begin(), watch.times.end()));
}

}  // namespace
}  // namespace laggard::lab
