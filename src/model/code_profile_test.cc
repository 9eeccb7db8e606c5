#include "model/code_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "model/dictionary.h"

namespace laggard {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(FunctionName, GoesIntoAWordAndComesBack) {
  for (const FunctionName& name :
       {FunctionName{"glusterfsd", "libc.so.6", "__memmove_avx"},
        FunctionName{kNobody, "[kernel]", "net_rx_action"}, FunctionName{"a b", "", ""}}) {
    const std::string word = to_word(name);
    EXPECT_EQ(function_name(word), name) << word;
  }
  EXPECT_EQ(to_word({"dd", "[kernel]", "submit_bio"}), "dd;[kernel];submit_bio");
}

TEST(FunctionName, HostileNamesStayInTheirField) {
  const std::string word = to_word({"a;b", "c\nd", "e\x1b[31m"});
  EXPECT_EQ(function_name(word), (FunctionName{"a:b", "c d", "e [31m"}));
  const std::string long_name(10'000, 'x');
  Dictionary words;
  EXPECT_TRUE(words.intern(to_word({long_name, long_name, long_name})));
}

TEST(FunctionName, OtherWordsAreNone) {
  for (const char* word : {"", "main", "main;f", "a;b;c;d"}) EXPECT_FALSE(function_name(word)) << word;
}

TEST(ProgramOfThread, KernelThreadsForWhateverComesAlongAreNobodys) {
  for (const char* comm :
       {"swapper", "swapper/3", "kworker/0:1", "kworker/u8:2+flush-8:0", "ksoftirqd/11", "rcu_sched",
        "rcu_preempt", "rcuop/1", "rcuc/0", "migration/0", "irq/29-nvme0q1", "cpuhp/1"}) {
    EXPECT_EQ(program_of_thread(comm), kNobody) << comm;
  }
  for (const char* comm : {"glusterfsd", "jbd2/sda1-8", "nfsd", "ll_ost_io00_001", "kswapd0", "irqbalance",
                           "migration", "kworker", "swapperd", "", "a/b", "/", "Web Content"}) {
    EXPECT_EQ(program_of_thread(comm), comm);
  }
}

TEST(IdleFunction, IsWhereProcessorsWait) {
  for (const char* name :
       {"default_idle", "default_idle_call", "pv_native_safe_halt", "native_safe_halt", "acpi_idle_do_entry",
        "acpi_idle_enter", "intel_idle", "intel_idle_ibrs", "mwait_idle_with_hints.constprop.0",
        "cpuidle_enter_state", "do_idle", "do_idle.cold", "cpu_idle_poll", "poll_idle"}) {
    EXPECT_TRUE(is_idle_function(name)) << name;
  }
  for (const char* name :
       {"", ".", "tcp_sendmsg", "page_idle_get", "do_idle_work", "ep_poll", "__schedule", "[unknown]"}) {
    EXPECT_FALSE(is_idle_function(name)) << name;
  }
}

std::string folded(std::string_view program, const std::vector<std::string_view>& frames) {
  return to_folded(program, frames);
}

TEST(FoldedStack, GoesIntoAWordAndComesBack) {
  const std::string word = folded("dd", {"main", "write", "vfs_write"});
  EXPECT_EQ(word, "dd;main;write;vfs_write");
  const FoldedStack stack = folded_stack(word);
  EXPECT_EQ(stack.program, "dd");
  EXPECT_THAT(stack.frames, ElementsAre("main", "write", "vfs_write"));
  EXPECT_EQ(folded("dd", {}), "dd");
  EXPECT_THAT(folded_stack("dd").frames, IsEmpty());
  EXPECT_EQ(folded_stack("").program, "");
}

TEST(FoldedStack, HostileNamesStayInTheirFrame) {
  EXPECT_EQ(folded("a;b", {"f;g", "h\n\x1b[31m", ""}), "a:b;f:g;h  [31m;[unknown]");
}

TEST(FoldedStack, NamesHaveNoBlanksAtTheirEndsAlsoWhereTheyAreCut) {
  // Demangled names of templates are long, and whoever reads a line of folded stacks cannot tell such blanks.
  const std::string cut_behind_a_blank = std::string(511, 'f') + " const";
  const std::vector<std::string_view> frames{"main", "\t", cut_behind_a_blank};
  EXPECT_EQ(to_folded(" p ", frames), "p;main;[unknown];" + std::string(511, 'f'));
}

TEST(FoldedStack, WhatIsTooDeepLosesItsOutside) {
  const std::string name(100, 'f');
  std::vector<std::string_view> frames(200, name);
  frames.back() = "innermost";
  const std::string word = folded("dd", frames);
  EXPECT_LE(word.size(), Dictionary::kLongestWord);
  EXPECT_GT(word.size(), Dictionary::kLongestWord - 200);
  EXPECT_THAT(word, StartsWith("dd;[...];fff"));
  EXPECT_THAT(word, EndsWith(";innermost"));
  const std::string endless(100'000, 'x');
  EXPECT_LE(folded(endless, {endless, endless}).size(), Dictionary::kLongestWord);
}

}  // namespace
}  // namespace laggard
