#include "lab/bench/linux_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <thread>

namespace laggard::lab::bench {
namespace {
using namespace std::chrono_literals;

class Marked : public testing::Test {
 protected:
  [[nodiscard]] int start(const std::string& entry) {
    const auto process = machine_.start({{"sleep", "1000"}, {}, {entry}}, "/dev/null");
    EXPECT_TRUE(process);
    return process.value_or(-1);
  }
  LinuxMachine machine_;
  std::string mark_ = "LAGGARD_TEST=" + std::to_string(::getpid());
};

TEST_F(Marked, OnlyProcessesWithTheWholeEntryAreEnded) {
  const int ours = start(mark_);
  const int longer = start(mark_ + "0");
  const int named_otherwise = start("X" + mark_);
  ASSERT_TRUE(machine_.end_marked(mark_));
  EXPECT_FALSE(machine_.running(ours));
  EXPECT_TRUE(machine_.running(longer));
  EXPECT_TRUE(machine_.running(named_otherwise));
}

TEST_F(Marked, ChildrenTooAndAlsoThoseThatAreStopped) {
  const auto shell =
      machine_.start({{"sh", "-c", "sleep 1000 & kill -STOP $!; wait"}, {}, {mark_}}, "/dev/null");
  ASSERT_TRUE(shell);
  std::this_thread::sleep_for(100ms);
  machine_.wake_marked("NOBODYS" + mark_);
  ASSERT_TRUE(machine_.end_marked(mark_));
  EXPECT_FALSE(machine_.running(*shell));
  // Not the dead that nobody has asked after.
  const auto left = machine_.run({{"pgrep", "--runstates", "RSDT", "--session", std::to_string(*shell)}, {}});
  ASSERT_TRUE(left);
  EXPECT_EQ(left->text, "");
}

TEST_F(Marked, NobodyIsNoError) { EXPECT_TRUE(machine_.end_marked(mark_)); }

}  // namespace
}  // namespace laggard::lab::bench
