#include "engine/observation_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "testing/observations.h"

namespace laggard::engine {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing_support::PlainEvent;
using testing_support::random_events;
using testing_support::random_profile;

constexpr Duration kQueueStep = 100ms;
const WallTime kQueueStart = from_unix_ns(1'700'000'000'000'000'000);

/// Host, kind and step before each event.
std::vector<std::pair<std::string, std::vector<PlainEvent>>> drain(ObservationQueue& queue) {
  std::vector<std::pair<std::string, std::vector<PlainEvent>>> out;
  while (queue.next()) {
    const ObservationStep step = queue.take();
    for (const EventTable& table : step.events) {
      out.emplace_back(to_iso8601(step.end) + " " + table.host() + " " + table.kind(),
                       testing_support::plain(table));
    }
  }
  return out;
}

/// Each event as a table of its own, in an order of chance.
std::vector<EventTable> shuffled(const std::vector<EventTable>& tables, std::mt19937_64& random) {
  std::vector<EventTable> single;
  for (const EventTable& table : tables) {
    for (std::uint32_t e = 0; e < table.size(); ++e) {
      EventTable& one = single.emplace_back(table.host(), table.kind());
      one.append_from(table, std::span(&e, 1));
    }
  }
  std::ranges::shuffle(single, random);
  return single;
}

TEST(ObservationQueue, GivesTheSameStepsInWhateverOrderEventsCome) {
  std::mt19937_64 random(1);
  const std::vector<EventTable> tables{random_events(random, "a", kQueueStart, 400),
                                       random_events(random, "b", kQueueStart + 50ms, 300),
                                       random_events(random, "a", kQueueStart, 200, "error")};
  ObservationQueue whole(kQueueStep);
  for (const EventTable& table : tables) whole.add(table);
  const auto expected = drain(whole);
  EXPECT_GT(expected.size(), 8U);
  for (const auto& [title, events] : expected) {
    EXPECT_TRUE(std::ranges::is_sorted(events, {}, &PlainEvent::time)) << title;
  }
  for (int round = 0; round < 5; ++round) {
    ObservationQueue queue(kQueueStep);
    for (const EventTable& table : shuffled(tables, random)) queue.add(table);
    EXPECT_EQ(drain(queue), expected);
    EXPECT_TRUE(queue.unused().empty());
  }
}

TEST(ObservationQueue, CountsWhatComesAfterItsStepWasTaken) {
  EventTable table("fs3", "error");
  const Word what = table.intern("EIO").value();
  for (const Duration at : {Duration{0}, Duration{250ms}})
    table.append({kQueueStart + at, {}, kNoWord, what});
  ObservationQueue queue(kQueueStep);
  queue.add(table);
  EXPECT_EQ(queue.take().end, kQueueStart + kQueueStep);
  queue.close_before(kQueueStart + 2 * kQueueStep);
  table.append({kQueueStart + 199ms, {}, kNoWord, what});
  queue.add(table);
  ASSERT_EQ(queue.unused().size(), 1U);
  const auto& [whose, unused] = *queue.unused().begin();
  EXPECT_EQ(whose, ObservationQueue::HostKind("fs3", "error"));
  EXPECT_EQ(unused.late, 2U);
  EXPECT_EQ(unused.from, kQueueStart);
  EXPECT_EQ(unused.to, kQueueStart + 199ms);
  EXPECT_EQ(queue.next(), kQueueStart + 3 * kQueueStep);
  EXPECT_EQ(queue.take().events.front().size(), 2U) << "those that were not late";
}

TEST(ObservationQueue, TakesAPeriodAtItsEndAndSaysWhatASourceLost) {
  std::mt19937_64 random(2);
  ProfileTable profile("c1", "stacks");
  profile.begin({kQueueStart, 150ms, kNoWord});
  profile.add(profile.intern("main").value(), 7);
  profile.add_loss({kQueueStart, kQueueStart + 1s, 40, "ring ran over"});
  ObservationQueue queue(kQueueStep);
  queue.add(profile);
  EXPECT_EQ(queue.next(), kQueueStart + 2 * kQueueStep);
  EXPECT_THAT(testing_support::plain(queue.take().profiles.front()).front().counts,
              ElementsAre(std::pair<std::string, std::uint64_t>("main", 7)));
  const auto& unused = queue.unused().at({"c1", "stacks"});
  EXPECT_EQ(unused.lost, 40U);
  EXPECT_EQ(unused.reason, "ring ran over");
}

}  // namespace
}  // namespace laggard::engine
