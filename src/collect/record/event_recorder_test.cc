#include "collect/record/event_recorder.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "testing/fake_machine.h"

namespace laggard::collect {
namespace {

using namespace std::chrono_literals;

/// Keeps everything; waits while `hangs`.
class ListObservations final : public ObservationSink {
 public:
  [[nodiscard]] Status append(const EventTable& table) override {
    while (hangs) std::this_thread::sleep_for(1ms);
    if (broken) return fail(ErrorCode::kDamaged, "rec", "is damaged");
    if (refused > 0 && table.size() > 0) {
      --refused;
      return fail(ErrorCode::kBadInput, "", "too many words");
    }
    tables.push_back(table);
    return {};
  }
  [[nodiscard]] Status append(const ProfileTable& table) override {
    profiles.push_back(table);
    return {};
  }
  [[nodiscard]] std::vector<std::string> whats() const {
    std::vector<std::string> all;
    for (const EventTable& table : tables) {
      for (const Word what : table.whats()) all.emplace_back(table.words().text(what));
    }
    return all;
  }
  [[nodiscard]] std::uint64_t lost() const {
    std::uint64_t count = 0;
    for (const EventTable& table : tables) {
      for (const Loss& loss : table.losses()) count += loss.count;
    }
    return count;
  }

  std::vector<EventTable> tables;
  std::vector<ProfileTable> profiles;
  std::atomic<bool> hangs = false;
  bool broken = false;
  int refused = 0;  ///< So many tables with events.
};

/// Numbers its events; has so many each time that it is asked.
class Numbers final : public EventSource {
 public:
  Numbers(std::string kind, std::size_t each, Duration cadence, std::optional<int> descriptor = {})
      : kind_(std::move(kind)), each_(each), cadence_(cadence), descriptor_(descriptor) {}

  [[nodiscard]] std::string_view kind() const override { return kind_; }
  [[nodiscard]] Duration cadence() const override { return cadence_; }
  [[nodiscard]] std::optional<int> descriptor() const override { return descriptor_; }
  [[nodiscard]] Status read(Clock& clock, ObservationBatch& batch, std::size_t most) override {
    if (clock.mono() < due_) return {};
    due_ = clock.mono() + cadence_;
    for (std::size_t e = 0; e < std::min(each_, most); ++e) {
      const Word what = batch.events.intern(kind_ + std::to_string(number_++)).value();
      batch.events.append({clock.wall(), {}, kNoWord, what});
    }
    batch.profile().begin({clock.wall(), cadence_, kNoWord});
    return {};
  }

 private:
  std::string kind_;
  std::size_t each_;
  Duration cadence_;
  std::optional<int> descriptor_;
  MonoTime due_ = MonoTime::min();
  std::size_t number_ = 0;
};

std::vector<std::unique_ptr<EventSource>> sources(std::unique_ptr<EventSource> one,
                                                  std::unique_ptr<EventSource> other = nullptr) {
  std::vector<std::unique_ptr<EventSource>> all;
  all.push_back(std::move(one));
  if (other) all.push_back(std::move(other));
  return all;
}

EventRecorder::Wait sleeping(FakeClock& clock) {
  return [&clock](MonoTime deadline, std::span<const int>) { clock.sleep_until(deadline); };
}

const auto kNever = [] { return false; };

TEST(EventRecorder, AsksEachSourceAtItsOwnCadenceAndHandsOverEveryFlush) {
  FakeClock clock;
  ListObservations sink;
  Outbox outbox(sink, {});
  EventRecorder recorder(
      {.host = "c1", .boot = "b", .duration = 10s, .flush = 2s}, clock, outbox,
      sources(std::make_unique<Numbers>("slow", 1, 5s), std::make_unique<Numbers>("fast", 2, 500ms)));
  ASSERT_TRUE(recorder.run(kNever, sleeping(clock)));
  std::size_t slow = 0;
  std::size_t fast = 0;
  for (const EventTable& table : sink.tables) {
    EXPECT_EQ(table.host(), "c1");
    EXPECT_EQ(table.boot(), "b");
    (table.kind() == "slow" ? slow : fast) += table.size();
  }
  EXPECT_NEAR(static_cast<double>(slow), 2, 1);
  EXPECT_NEAR(static_cast<double>(fast), 40, 3);
  EXPECT_GE(sink.tables.size(), 6U);
  EXPECT_FALSE(sink.profiles.empty());
}

TEST(EventRecorder, WakesForADescriptorAndHandsOverEarlyWhatIsMuch) {
  FakeClock clock;
  ListObservations sink;
  Outbox outbox(sink, {});
  EventRecorder recorder({.host = "c1", .duration = 1s, .flush = 1h, .most_rows = 10}, clock, outbox,
                         sources(std::make_unique<Numbers>("x", 100, 10ms, 7)));
  bool polled = true;
  ASSERT_TRUE(recorder.run(kNever, [&](MonoTime deadline, std::span<const int> readable) {
    polled = polled && readable.size() == 1 && readable[0] == 7;
    clock.sleep_until(std::min(deadline, clock.mono() + 10ms));
  }));
  EXPECT_TRUE(polled);
  EXPECT_GT(sink.tables.size(), 50U) << "a batch of ten is handed over at once";
  const auto whats = sink.whats();
  for (std::size_t e = 0; e < whats.size(); ++e) ASSERT_EQ(whats[e], "x" + std::to_string(e));
}

TEST(EventRecorder, WhileTheDiskHangsTheOldestGoAndAreCounted) {
  FakeClock clock;
  ListObservations sink;
  sink.hangs = true;
  Outbox outbox(sink, {.most_cells = 400, .afterwards = {}});
  EventRecorder recorder({.host = "c1", .duration = 20s, .flush = 1s}, clock, outbox,
                         sources(std::make_unique<Numbers>("x", 10, 1s)));
  ASSERT_TRUE(recorder.run(kNever, [&](MonoTime deadline, std::span<const int>) {
    clock.sleep_until(deadline);
    if (clock.mono() >= MonoTime{1015s}) sink.hangs = false;
  }));
  const Outbox::Counts counts = outbox.counts();
  EXPECT_GT(counts.observations_dropped, 0U);
  EXPECT_EQ(sink.whats().back(), "x" + std::to_string(sink.whats().size() + sink.lost() - 1))
      << "what is not there is counted as lost, and the newest is there";
}

TEST(EventRecorder, WhatCanBeReadLaterWaitsWhereItIsWhileTheDiskIsFull) {
  class Patient final : public EventSource {
   public:
    explicit Patient(int& reads) : reads_(reads) {}
    [[nodiscard]] std::string_view kind() const override { return "x"; }
    [[nodiscard]] bool keeps_unread() const override { return true; }
    [[nodiscard]] std::optional<int> descriptor() const override { return 7; }
    [[nodiscard]] Status read(Clock& clock, ObservationBatch& batch, std::size_t) override {
      ++reads_;
      batch.events.append({clock.wall(), {}, kNoWord, batch.events.intern("x").value()});
      batch.is_full = batch.events.size() == 2;
      return {};
    }

   private:
    int& reads_;
  };
  FakeClock clock;
  ListObservations sink;
  std::atomic<bool> is_full = true;
  Outbox::Options delivery;
  delivery.afterwards = [&]() -> Status {
    if (is_full) return fail(ErrorCode::kNoSpace, "rec", "is full");
    return {};
  };
  Outbox outbox(sink, delivery);
  int reads = 0;
  EventRecorder recorder({.host = "c1", .duration = 20s, .flush = 1s}, clock, outbox,
                         sources(std::make_unique<Patient>(reads)));
  int reads_before = 0;
  bool polled = false;
  // The outbox delivers on its own thread, which may be held up.
  const auto wait_until_tried = [&] {
    for (int ms = 0; ms < 20'000 && outbox.counts().refusal.has_value() != is_full; ++ms) {
      std::this_thread::sleep_for(1ms);
    }
  };
  ASSERT_TRUE(recorder.run(kNever, [&](MonoTime deadline, std::span<const int> readable) {
    clock.sleep_until(deadline);
    if (clock.mono() < MonoTime{1003s}) return;
    if (is_full) {
      wait_until_tried();
      if (clock.mono() < MonoTime{1004s}) {
        reads_before = reads;
        return;
      }
      EXPECT_LE(reads - reads_before, 1);
      polled = polled || !readable.empty();
      is_full = clock.mono() < MonoTime{1010s};
    } else if (clock.mono() >= MonoTime{1012s}) {
      wait_until_tried();
    }
  }));
  EXPECT_GE(reads_before, 1);
  EXPECT_FALSE(polled) << "it would wake the recorder again and again";
  EXPECT_GT(reads, reads_before + 5);
  EXPECT_EQ(sink.whats().size(), static_cast<std::size_t>(reads));
}

TEST(EventRecorder, EventsThatNoArchiveHoldsAreALossAndNotTheEnd) {
  FakeClock clock;
  ListObservations sink;
  sink.refused = 2;
  Outbox outbox(sink, {});
  EventRecorder recorder({.host = "c1", .duration = 10s, .flush = 1s}, clock, outbox,
                         sources(std::make_unique<Numbers>("x", 3, 1s)));
  ASSERT_TRUE(recorder.run(kNever, sleeping(clock)));
  EXPECT_EQ(outbox.counts().observations_dropped, sink.lost());
  EXPECT_GT(sink.lost(), 0U);
  EXPECT_GT(sink.whats().size(), 0U);
}

TEST(EventRecorder, EndsWithTheErrorOfASourceOrASink) {
  class Failing final : public EventSource {
   public:
    [[nodiscard]] std::string_view kind() const override { return "x"; }
    [[nodiscard]] Status read(Clock&, ObservationBatch&, std::size_t) override {
      return fail(ErrorCode::kNotFound, "/dev/x", "is gone");
    }
  };
  FakeClock clock;
  ListObservations sink;
  Outbox outbox(sink, {});
  EventRecorder recorder({.host = "c1"}, clock, outbox, sources(std::make_unique<Failing>()));
  const Status ended = recorder.run(kNever, sleeping(clock));
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().where, "/dev/x");
  ListObservations damaged;
  damaged.broken = true;
  Outbox to_damaged(damaged, {});
  EventRecorder other({.host = "c1", .duration = 10s}, clock, to_damaged,
                      sources(std::make_unique<Numbers>("x", 1, 1s)));
  EXPECT_FALSE(other.run(kNever, sleeping(clock)));
}

/// Ends after three readings with so many more events, which it hands over a hundred at a time.
class Ending final : public EventSource {
 public:
  explicit Ending(int left) : left_(left) {}
  [[nodiscard]] std::string_view kind() const override { return "ending"; }
  [[nodiscard]] Status read(Clock& clock, ObservationBatch& batch, std::size_t) override {
    ++readings_;
    add(clock, batch, 1);
    return {};
  }
  [[nodiscard]] bool has_ended() override { return readings_ >= 3; }
  void finish(Clock& clock, ObservationBatch& batch) override {
    constexpr int kMost = 100;
    const int now = std::min(left_, kMost);
    add(clock, batch, now);
    left_ -= now;
    batch.is_full = left_ > 0;
  }

 private:
  static void add(Clock& clock, ObservationBatch& batch, int count) {
    for (int i = 0; i < count; ++i)
      batch.events.append({clock.wall(), {}, kNoWord, batch.events.intern("e").value()});
  }
  int left_;
  int readings_ = 0;
};

TEST(EventRecorder, EndsWithItsSourcesAndTakesAllThatTheyHaveLeft) {
  FakeClock clock;
  const MonoTime begin = clock.mono();
  ListObservations sink;
  Outbox outbox(sink, {});
  EventRecorder recorder({.host = "c1", .duration = 1h}, clock, outbox,
                         sources(std::make_unique<Ending>(250)));
  ASSERT_TRUE(recorder.run(kNever, sleeping(clock)));
  EXPECT_EQ(sink.whats().size(), 253U);
  EXPECT_LT(clock.mono() - begin, 5s);
}

TEST(EventRecorder, GoesOnWhileOneOfItsSourcesDoes) {
  FakeClock clock;
  const MonoTime begin = clock.mono();
  ListObservations sink;
  Outbox outbox(sink, {});
  EventRecorder recorder({.host = "c1", .duration = 20s}, clock, outbox,
                         sources(std::make_unique<Ending>(0), std::make_unique<Numbers>("fast", 1, 1s)));
  ASSERT_TRUE(recorder.run(kNever, sleeping(clock)));
  EXPECT_GE(clock.mono() - begin, 20s);
}

}  // namespace
}  // namespace laggard::collect
