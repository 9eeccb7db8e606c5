#include "model/code_profile.h"

#include <gtest/gtest.h>

#include "model/dictionary.h"

namespace laggard {
namespace {

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

}  // namespace
}  // namespace laggard
