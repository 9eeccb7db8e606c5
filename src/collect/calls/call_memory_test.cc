// What other processes may call the memory that they count in.
#include "collect/calls/call_memory.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace laggard::collect {
namespace {

using testing::HasSubstr;
using wire::CallEntry;
using wire::CallFrame;
using wire::CallTable;
using wire::CallThread;

/// A child that has mapped a file in memory of this content, as liblaggard-calls does.
class Counting {
 public:
  explicit Counting(const std::vector<std::uint64_t>& content, int seals = F_SEAL_SHRINK) {
    int ready[2];
    EXPECT_EQ(::pipe(ready), 0);
    child_ = ::fork();
    if (child_ == 0) {
      const std::size_t bytes = content.size() * sizeof(std::uint64_t);
      const int file = ::memfd_create(wire::kCallTableName, MFD_ALLOW_SEALING);
      static_cast<void>(!::write(file, content.data(), bytes));
      ::fcntl(file, F_ADD_SEALS, seals);
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
      static_cast<void>(!::write(ready[1], "x", 1));
      for (;;) ::pause();
    }
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    ::close(ready[0]);
    ::close(ready[1]);
  }
  ~Counting() { end(); }
  Counting(const Counting&) = delete;
  Counting& operator=(const Counting&) = delete;

  [[nodiscard]] Result<CallMemory> open() const { return CallMemory::open("/", child_); }
  void end() {
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
    child_ = 0;
  }

 private:
  pid_t child_ = 0;
};

/// The words of a table, and of `real` threads that have nothing.
std::vector<std::uint64_t> table_of(std::uint32_t threads, std::size_t real,
                                    std::uint32_t version = wire::kCallTableVersion,
                                    std::uint32_t clock = 0) {
  std::vector<std::uint64_t> words((sizeof(CallTable) + real * sizeof(CallThread)) / sizeof(std::uint64_t));
  const auto put = [&](std::size_t offset, auto value) {
    std::memcpy(reinterpret_cast<char*>(words.data()) + offset, &value, sizeof value);
  };
  put(offsetof(CallTable, magic), wire::kCallTableMagic);
  put(offsetof(CallTable, version), version);
  put(offsetof(CallTable, clock), clock);
  put(offsetof(CallTable, threads), threads);
  put(offsetof(CallTable, threads_used), threads);
  return words;
}

/// Where the only thread has something.
std::size_t word(std::size_t offset) { return (sizeof(CallTable) + offset) / sizeof(std::uint64_t); }
std::size_t entry_word(std::size_t entry) {
  return word(offsetof(CallThread, entries) + entry * sizeof(CallEntry));
}

std::string refusal(const Counting& process) {
  const auto memory = process.open();
  return memory ? std::string("opened") : memory.error().message();
}

class ForeignCallMemory : public testing::Test {
 protected:
  void SetUp() override {
    const Counting process(table_of(1, 1));
    const auto memory = process.open();
    if (!memory) GTEST_SKIP() << memory.error().message();
  }
};

TEST_F(ForeignCallMemory, WhatMakesNoSenseIsRefused) {
  EXPECT_EQ(refusal(Counting(table_of(1, 1))), "opened");
  EXPECT_THAT(refusal(Counting(table_of(2, 1))), HasSubstr("makes no sense")) << "it ends before its threads";
  EXPECT_THAT(refusal(Counting(table_of(0xFFFFFFFF, 1))), HasSubstr("makes no sense"));
  EXPECT_THAT(refusal(Counting(table_of(1, 1, wire::kCallTableVersion, 7))), HasSubstr("makes no sense"))
      << "an unknown clock";
  EXPECT_THAT(refusal(Counting(table_of(1, 1, 9))), HasSubstr("version 9 of liblaggard-calls"));
  EXPECT_THAT(refusal(Counting({1, 2, 3})), HasSubstr("cannot be read"));
  EXPECT_THAT(refusal(Counting(table_of(1, 1), 0)), HasSubstr("makes no sense")) << "it may shrink";
}

TEST_F(ForeignCallMemory, WhatItCountsIsReadWhenItIsGone) {
  std::vector<std::uint64_t> words = table_of(1, 1);
  words[word(offsetof(CallThread, used))] = 1;
  words[word(offsetof(CallThread, depth))] = 7'000'000;  // More than there can be: nothing is under way.
  const std::size_t entry = entry_word(5);
  words[entry] = 0x4711;
  words[entry + 1] = 8;
  words[entry + 2] = 15;
  Counting process(words);
  auto memory = process.open();
  ASSERT_TRUE(memory);
  process.end();
  std::vector<CallMemory::Count> counts;
  ASSERT_TRUE(memory->read([&](const CallMemory::Count& count) { counts.push_back(count); }));
  ASSERT_EQ(counts.size(), 1U);
  EXPECT_EQ(counts[0].function, 0x4711U);
  EXPECT_EQ(counts[0].calls, 8U);
  EXPECT_EQ(counts[0].ticks, 15U);
}

TEST_F(ForeignCallMemory, TheTimeOfNowIsOfTheTopmostCallThatIsTimed) {
  std::vector<std::uint64_t> words = table_of(1, 1);
  const auto put_call = [&](std::size_t depth, std::size_t entry, std::uint64_t untimed) {
    words[entry_word(entry)] = 0x1000 + entry;
    words[word(offsetof(CallThread, frames) + (depth - 1) * sizeof(CallFrame) + offsetof(CallFrame, entry))] =
        entry | untimed;
  };
  words[word(offsetof(CallThread, used))] = 2;
  words[word(offsetof(CallThread, taken))] = 1;
  words[word(offsetof(CallThread, since))] = 1;
  words[word(offsetof(CallThread, depth))] = 3;
  put_call(1, 6, 0);
  put_call(2, 5, 0);
  put_call(3, 4, CallFrame::kUntimed);
  const Counting process(words);
  auto memory = process.open();
  ASSERT_TRUE(memory);
  std::map<std::uint64_t, std::uint64_t> ticks;
  ASSERT_TRUE(memory->read([&](const CallMemory::Count& count) { ticks[count.function] = count.ticks; }));
  EXPECT_EQ(ticks[0x1004], 0U);
  EXPECT_GT(ticks[0x1005], 0U);
  EXPECT_EQ(ticks[0x1006], 0U);
}

TEST_F(ForeignCallMemory, CountingGoesOnForAWhileAndEndsWhenItIsToldTo) {
  const Counting process(table_of(1, 1));
  auto first = process.open();
  auto second = process.open();
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(first->keep_counting());
  EXPECT_GT(first->until().value(), first->now());
  EXPECT_TRUE(second->keep_counting());
  first->stop_counting();
  EXPECT_GT(second->until().value(), 0U) << "the other one said meanwhile that it goes on";
  second->stop_counting();
  EXPECT_EQ(second->until().value(), 0U);
}

}  // namespace
}  // namespace laggard::collect
