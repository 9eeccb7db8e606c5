#include "lab/sim/event_queue.h"

#include <gmock/gmock.h>

#include <utility>
#include <vector>

#include "lab/sim/random.h"

namespace laggard::lab {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::Pair;

/// Logs its events; on `kind` 1 it schedules another event at the same time.
class Listener : public EventHandler {
 public:
  explicit Listener(EventQueue& queue) : queue_(queue) {}
  void on_event(std::uint32_t kind, std::uint64_t about) override {
    heard.emplace_back(queue_.now() / milliseconds(1), about);
    if (kind == 1) queue_.schedule_in(SimTime::zero(), {this, 0, about + 100});
  }
  std::vector<std::pair<std::int64_t, std::uint64_t>> heard;

 private:
  EventQueue& queue_;
};

TEST(EventQueue, RaisesInTheOrderOfTimesAndThenOfAsking) {
  EventQueue queue;
  Listener listener(queue);
  queue.schedule(milliseconds(5), {&listener, 0, 1});
  queue.schedule(milliseconds(2), {&listener, 1, 2});
  queue.schedule(milliseconds(2), {&listener, 0, 3});
  queue.schedule(milliseconds(9), {&listener, 0, 4});
  queue.run_until(milliseconds(5));
  EXPECT_THAT(listener.heard, ElementsAre(Pair(2, 2), Pair(2, 3), Pair(2, 102), Pair(5, 1)));
  EXPECT_EQ(queue.now(), milliseconds(5));
  queue.run_until(milliseconds(20));
  EXPECT_EQ(listener.heard.back().second, 4U);
  EXPECT_EQ(queue.now(), milliseconds(20));
  EXPECT_EQ(queue.raised(), 5U);
}

TEST(Random, ForksDependOnSeedAndNameAlone) {
  Random a(7);
  const Random before = a.fork("disk", 3);
  a.bits();
  Random after = a.fork("disk", 3);
  Random copy = before;
  EXPECT_EQ(copy.bits(), after.bits());
  EXPECT_NE(a.fork("disk", 4).bits(), a.fork("disk", 3).bits());
  EXPECT_NE(Random(8).fork("disk", 3).bits(), a.fork("disk", 3).bits());
}

TEST(Random, MomentsAreThoseOfTheDistributions) {
  Random random(1);
  constexpr int kDraws = 200000;
  double normal = 0;
  double squares = 0;
  double exponential = 0;
  double successes = 0;
  double successes_squared = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double z = random.normal();
    normal += z / kDraws;
    squares += z * z / kDraws;
    exponential += random.exponential() / kDraws;
    const double k = random.binomial(40, 0.05);
    successes += k / kDraws;
    successes_squared += k * k / kDraws;
  }
  EXPECT_NEAR(normal, 0, 0.01);
  EXPECT_NEAR(squares, 1, 0.02);
  EXPECT_NEAR(exponential, 1, 0.01);
  EXPECT_NEAR(successes, 2, 0.02);
  EXPECT_NEAR(successes_squared - successes * successes, 40 * 0.05 * 0.95, 0.05);
  EXPECT_EQ(random.binomial(5, 1), 5U);
  EXPECT_EQ(random.binomial(5, 0), 0U);
}

}  // namespace
}  // namespace laggard::lab
