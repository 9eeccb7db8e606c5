#include "derive/message_reads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "testing/property.h"

namespace laggard::derive {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::Pair;

enum class What { kRead, kWrite, kClose };

struct Call {
  What what = What::kRead;
  Duration from{};
  Duration to{};
  std::int64_t bytes = 0;
};

/// When each was known to be over, and how long it took.
using Messages = std::vector<std::pair<Duration, Duration>>;

WallTime at(Duration time) { return from_unix_ns(time.count()); }

Messages messages(const std::vector<Call>& calls) {
  MessageReads reads;
  Messages all;
  const auto add = [&](const std::optional<MessageReads::Message>& one) {
    if (one) all.emplace_back(one->over - at(0s), one->took);
  };
  for (const Call& call : calls) {
    switch (call.what) {
      case What::kRead:
        add(reads.read({at(call.from), at(call.to)}, call.bytes));
        break;
      case What::kWrite:
        add(reads.write({at(call.from), at(call.to)}));
        break;
      case What::kClose:
        add(reads.close(at(call.to)));
        break;
    }
  }
  add(reads.wait(WallTime::max()));
  EXPECT_FALSE(reads.is_open());
  return all;
}

TEST(MessageReads, FromTheFirstReadToTheLastBeforeTheAnswer) {
  EXPECT_THAT(messages({{What::kRead, 10ms, 10ms + 50us, 4096},
                        {What::kRead, 30ms, 30ms + 50us, 4096},
                        {What::kRead, 50ms, 51ms, 4096},
                        {What::kWrite, 90ms, 91ms},
                        {What::kRead, 92ms, 92ms + 10us, 100},
                        {What::kWrite, 93ms, 94ms}}),
              ElementsAre(Pair(91ms, 41ms), Pair(94ms, 10us)));
}

TEST(MessageReads, WaitingForAMessageIsNoPartOfIt) {
  EXPECT_THAT(
      messages({{What::kRead, 0s, 5s, 1000}, {What::kRead, 5001ms, 5008ms, 50}, {What::kClose, 6s, 6s}}),
      ElementsAre(Pair(6s, 8ms + 101us)));
}

TEST(MessageReads, APauseEndsItButALostPacketDoesNot) {
  EXPECT_THAT(messages({{What::kRead, 0s, 50us, 10}, {What::kRead, 700ms, 700ms + 1us, 10}}),
              ElementsAre(Pair(1700ms + 1us, 700ms + 1us)));
  EXPECT_THAT(messages({{What::kRead, 0s, 50us, 10}, {What::kRead, 1100ms, 1100ms + 1us, 10}}),
              ElementsAre(Pair(1s + 50us, 50us), Pair(2100ms + 1us, 1us)));
}

TEST(MessageReads, AWriteUnderWayBeforeItBelongsToSomethingElse) {
  EXPECT_THAT(messages({{What::kRead, 20ms, 20ms + 10us, 10},
                        {What::kWrite, 5ms, 25ms},
                        {What::kRead, 40ms, 40ms + 10us, 10},
                        {What::kWrite, 50ms, 51ms}}),
              ElementsAre(Pair(51ms, 20ms + 10us)));
}

TEST(MessageReads, AStreamComesInPieces) {
  std::vector<Call> calls;
  calls.reserve(250);
  for (int i = 0; i < 250; ++i) calls.push_back({What::kRead, i * 100ms, i * 100ms + 10us, 10});
  const Messages found = messages(calls);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].second, 9900ms + 10us) << "its 101st read would make it longer than 10 s";
}

TEST(MessageReads, WhatIsForgottenIsNone) {
  MessageReads reads;
  EXPECT_FALSE(reads.read({at(1s), at(1s)}, 10));
  reads.forget();
  EXPECT_FALSE(reads.wait(WallTime::max()));
}

/// Whether a message that began then and whose first read returned at `first` is over when the call returns.
bool is_end(const Call& call, Duration begin, Duration first) {
  switch (call.what) {
    case What::kClose:
      return call.to > first;
    case What::kWrite:
      return call.from >= first;
    case What::kRead:
      return call.to - begin > 10s;
  }
  return false;
}

/// The definition: a message begins with the first read that is in no other one, and is over at the first of
/// all that can end it.
Messages defined(const std::vector<Call>& calls) {
  std::vector<Call> reads;
  std::ranges::copy_if(calls, std::back_inserter(reads), [](const Call& c) { return c.what == What::kRead; });
  Messages all;
  for (std::size_t first = 0; first < reads.size();) {
    const Call& start = reads[first];
    const Duration begin = std::max(start.from, start.to - 100us - std::chrono::nanoseconds(start.bytes));
    std::set<Duration> ends;
    for (const Call& call : calls) {
      if (is_end(call, begin, start.to)) ends.insert(call.to);
    }
    for (std::size_t r = first; r < reads.size(); ++r) {
      if (r + 1 == reads.size() || reads[r + 1].to > reads[r].to + 1s) ends.insert(reads[r].to + 1s);
    }
    const Duration over = *ends.begin();
    std::size_t next = first;
    while (next < reads.size() && reads[next].to < over) ++next;
    all.emplace_back(over, reads[next - 1].to - begin);
    first = next;
  }
  return all;
}

TEST(MessageReads, AreWhatTheirDefinitionSays) {
  expect_property("messages are what their definition says", [] {
    std::vector<Call> calls;
    std::set<Duration> taken;
    const int count = *rc::gen::inRange(0, 60);
    const int span_ms = *rc::gen::element(300, 3000, 40'000);
    for (int i = 0; i < count; ++i) {
      Call call;
      call.what = *rc::gen::weightedElement<What>({{8, What::kRead}, {2, What::kWrite}, {1, What::kClose}});
      call.from = std::chrono::milliseconds(*rc::gen::inRange(0, span_ms));
      call.to = call.from + std::chrono::microseconds(*rc::gen::element(1, 90, 500, 40'000, 1'700'000));
      call.bytes = *rc::gen::element(1, 4096, 1 << 22);
      while (!taken.insert(call.to).second) call.to += 1ns;
      calls.push_back(call);
    }
    std::ranges::sort(calls, {}, &Call::to);
    RC_ASSERT(messages(calls) == defined(calls));
  });
}

}  // namespace
}  // namespace laggard::derive
