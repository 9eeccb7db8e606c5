#include "collect/record/outbox.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <new>
#include <thread>

#include "testing/fake_machine.h"

namespace laggard::collect {
namespace {

SampleTable table_at(std::int64_t ns) {
  SampleTable table("fs1", DeviceKind::kNet, {{"rx_bytes", CounterForm::kCumulative}}, {"eth0"},
                    {from_unix_ns(ns)});
  table.set(0, 0, 0, 7);
  return table;
}

Status full() { return fail(ErrorCode::kNoSpace, "rec", "the disk is full"); }

TEST(Outbox, DeliversInOrderOnFinish) {
  ListSink sink;
  Outbox outbox(sink, {});
  DeviceInfo info;
  info.device = "eth0";
  outbox.put(std::move(info));
  outbox.put(table_at(1));
  outbox.put(table_at(2));
  outbox.put(SampleTable{});  // nothing in it: nothing to write
  ASSERT_TRUE(outbox.finish());
  ASSERT_EQ(sink.tables.size(), 2U);
  EXPECT_EQ(sink.tables[1].times()[0], from_unix_ns(2));
  EXPECT_EQ(sink.facts.size(), 1U);
  EXPECT_EQ(outbox.counts().tables_delivered, 2U);
}

TEST(Outbox, AFullDiskIsTheSinksAffairUntilTheEnd) {
  ListSink sink;
  bool is_full = true;
  int offered = 0;
  sink.refuse = [&] {
    ++offered;
    return is_full ? full() : Status{};
  };
  Outbox outbox(sink, {});
  outbox.put(table_at(1));
  EXPECT_FALSE(outbox.finish());
  EXPECT_TRUE(outbox.counts().refusal);
  EXPECT_FALSE(outbox.broken());
  is_full = false;
  outbox.put(table_at(2));
  EXPECT_TRUE(outbox.finish());
  EXPECT_FALSE(outbox.counts().refusal);
  EXPECT_EQ(offered, 2) << "the sink keeps what it was given: nothing is offered twice";
}

TEST(Outbox, BeyondTheBoundTheOldestTablesGoAndAreCounted) {
  ListSink sink;
  Outbox outbox(sink, {2, {}});
  for (std::int64_t t = 1; t <= 5; ++t) outbox.put(table_at(t));
  EXPECT_EQ(outbox.counts().tables_dropped, 3U);
  EXPECT_EQ(outbox.counts().rows_dropped, 3U);
  ASSERT_TRUE(outbox.finish());
  ASSERT_EQ(sink.tables.size(), 2U);
  EXPECT_EQ(sink.tables[0].times()[0], from_unix_ns(4));
  ASSERT_EQ(sink.gaps.size(), 1U);
  EXPECT_EQ(sink.gaps[0].reason, "disk hung");
  EXPECT_EQ(sink.gaps[0].from, from_unix_ns(1));
  EXPECT_EQ(sink.gaps[0].to, from_unix_ns(3));
}

TEST(Outbox, ATableThatIsLargerThanTheBoundIsKeptAlone) {
  ListSink sink;
  Outbox outbox(sink, {0, {}});
  outbox.put(table_at(1));
  outbox.put(table_at(2));
  ASSERT_TRUE(outbox.finish());
  ASSERT_EQ(sink.tables.size(), 1U);
  EXPECT_EQ(sink.tables[0].times()[0], from_unix_ns(2));
}

TEST(Outbox, OtherErrorsEndTheRecording) {
  ListSink sink;
  sink.refuse = [] { return fail(ErrorCode::kDamaged, "rec", "is damaged"); };
  Outbox outbox(sink, {});
  outbox.put(table_at(1));
  EXPECT_FALSE(outbox.finish());
  ASSERT_TRUE(outbox.broken());
  EXPECT_EQ(outbox.broken()->code, ErrorCode::kDamaged);
}

TEST(Outbox, NoMemoryOnTheDeliveringThreadEndsTheRecordingWithASentence) {
  ListSink sink;
  sink.refuse = []() -> Status { throw std::bad_alloc(); };
  Outbox outbox(sink, {});
  outbox.put(table_at(1));
  outbox.deliver_soon();
  while (!outbox.broken()) std::this_thread::yield();
  EXPECT_EQ(outbox.broken()->code, ErrorCode::kTemporary);
  EXPECT_FALSE(outbox.finish());
}

TEST(Outbox, AThreadThatCannotBeStartedEndsTheRecordingWithASentence) {
  pthread_attr_t before;
  ASSERT_EQ(pthread_getattr_default_np(&before), 0);
  pthread_attr_t huge = before;  // A stack that no address space has room for.
  ASSERT_EQ(pthread_attr_setstacksize(&huge, std::size_t{1} << 50), 0);
  ASSERT_EQ(pthread_setattr_default_np(&huge), 0);
  ListSink sink;
  Outbox outbox(sink, {});
  outbox.put(table_at(1));
  outbox.deliver_soon();
  pthread_setattr_default_np(&before);
  pthread_attr_destroy(&before);
  ASSERT_TRUE(outbox.broken());
  EXPECT_EQ(outbox.broken()->code, ErrorCode::kTemporary);
  EXPECT_FALSE(outbox.finish());
}

TEST(Outbox, TheCallerNeverWaitsForTheSink) {
  ListSink sink;
  std::atomic<bool> release{false};
  sink.refuse = [&] {
    while (!release) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return Status{};
  };
  Outbox outbox(sink, {2, {}});
  outbox.put(table_at(1));
  outbox.deliver_soon();
  for (std::int64_t t = 2; t <= 6; ++t) outbox.put(table_at(t));
  EXPECT_GE(outbox.counts().tables_dropped, 3U) << "the sink hangs: the bound holds meanwhile";
  release = true;
  ASSERT_TRUE(outbox.finish());
  EXPECT_EQ(sink.tables.back().times()[0], from_unix_ns(6));
  EXPECT_EQ(sink.tables.size() + outbox.counts().tables_dropped, 6U);
}

TEST(Outbox, RunsWhatComesAfterADelivery) {
  ListSink sink;
  int runs = 0;
  Outbox::Options options;
  options.afterwards = [&] {
    ++runs;
    return Status{};
  };
  Outbox outbox(sink, options);
  ASSERT_TRUE(outbox.finish());
  EXPECT_EQ(runs, 1);
}

TEST(Outbox, HandsOnWithoutASyncAndThenKnowsNothingNewOfTheDisk) {
  ListSink sink;
  std::atomic<int> runs = 0;
  Outbox::Options options;
  options.afterwards = [&]() -> Status {
    ++runs;
    return fail(ErrorCode::kNoSpace, "rec", "is full");
  };
  Outbox outbox(sink, options);
  const auto wait_for_delivery = [&](std::int64_t t) {
    outbox.put(table_at(t));
    outbox.hand_on_soon();
    while (outbox.counts().tables_waiting > 0) std::this_thread::yield();
  };
  wait_for_delivery(1);
  EXPECT_EQ(runs, 0);
  EXPECT_FALSE(outbox.counts().refusal);
  outbox.deliver_soon();
  while (!outbox.counts().refusal) std::this_thread::yield();
  EXPECT_EQ(runs, 1);
  wait_for_delivery(2);
  EXPECT_TRUE(outbox.counts().refusal);
  EXPECT_FALSE(outbox.has_room());
  EXPECT_FALSE(outbox.finish());
  EXPECT_EQ(runs, 2);
}

}  // namespace
}  // namespace laggard::collect
